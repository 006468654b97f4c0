"""Prompts: one template file each in English and Chinese, and the typed calls made from them."""

from vidence.prompts.prompt import Prompt, TemplateUse
from vidence.prompts.templates import LoadTemplate, Template, Wording, list_templates, load_template

__all__ = ["LoadTemplate", "Prompt", "Template", "TemplateUse", "Wording", "list_templates", "load_template"]
