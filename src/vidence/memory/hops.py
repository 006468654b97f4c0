"""Following a name from the text that mentions it to the text that is about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vidence.language.tokens import term_id, terms
from vidence.memory.inverted import InvertedIndex

__all__ = ["SubjectLinks"]

_SOURCES = 5
"""So many of the best texts are followed."""

Floats = NDArray[np.float32]


class SubjectLinks:
    """Which texts are about what, by one term of their subject."""

    def __init__(self) -> None:
        self._subjects: dict[int, tuple[int, ...]] = {}
        self._by_term: dict[int, list[int]] = {}

    def add(self, document: int, subject: str | None) -> None:
        """Note what a document is about."""
        words = list(dict.fromkeys(terms(subject or "")))
        if not words:
            return
        self._subjects[document] = tuple(term_id(word) for word in words)
        # The longest word is nearly always the rarest, and any one will do.
        self._by_term.setdefault(term_id(max(words, key=len)), []).append(document)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return everything, for `fill`."""
        subjects = self._subjects
        leads = [(term, document) for term, documents in self._by_term.items() for document in documents]
        return {
            "subject_documents": np.fromiter(subjects, np.int64, len(subjects)),
            "subject_sizes": np.array([len(terms) for terms in subjects.values()], np.int64),
            "subject_terms": np.array([term for terms in subjects.values() for term in terms], np.int64),
            "subject_leads": np.array(leads, np.int64).reshape(-1, 2),
        }

    def fill(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Become what `to_arrays` returned."""
        terms_of = iter(arrays["subject_terms"].tolist())
        for document, size in zip(
            arrays["subject_documents"].tolist(), arrays["subject_sizes"].tolist(), strict=True
        ):
            self._subjects[document] = tuple(islice(terms_of, size))
        for term, document in arrays["subject_leads"].tolist():
            self._by_term.setdefault(term, []).append(document)

    def bonus(self, index: InvertedIndex, asked: Sequence[int], scores: Floats) -> Floats:
        """Return what each text gains for being about something the best texts mention."""
        gained = np.zeros_like(scores)
        if not self._subjects or not len(scores) or scores.max() <= 0:
            return gained
        known = set(asked)
        top = float(scores.max())
        for source in np.argsort(-scores, kind="stable")[:_SOURCES]:
            strength = float(scores[source]) / top
            mentioned = set(index.text(int(source)).terms.tolist())
            for document in self._about(mentioned):
                subject = self._subjects[document]
                new = [term for term in subject if term not in known]
                if document != source and new and mentioned.issuperset(subject):
                    worth = strength * sum(index.idf(term) for term in new)
                    gained[document] = max(float(gained[document]), worth)
        return gained

    def _about(self, mentioned: set[int]) -> list[int]:
        return [document for term in mentioned for document in self._by_term.get(term, ())]
