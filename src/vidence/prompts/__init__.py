"""Prompt templates, one file each, in English and Chinese."""

from vidence.prompts.prompt import Prompt, TemplateUse
from vidence.prompts.templates import Template, list_templates, load_template

__all__ = ["Prompt", "Template", "TemplateUse", "list_templates", "load_template"]
