"""The codes of diagnostics: what each means and how to mend it. They are stable; the documentation is made from them.

A code is a constant here and an entry in `CODES`. `Finding` is a diagnostic before it is known which file it is about.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

from .diagnostics import Severity, SkillDiagnostic

BYTE_ORDER_MARK: Final = 'byte-order-mark'
TEXT_ABOVE_FRONTMATTER: Final = 'text-above-frontmatter'
FENCE_BLANKS: Final = 'fence-blanks'
VALUE_QUOTED: Final = 'value-quoted'
TABS_EXPANDED: Final = 'tabs-expanded'
FRONTMATTER_LONG: Final = 'frontmatter-long'
NAME_MENDED: Final = 'name-mended'
CASE_MENDED: Final = 'case-mended'

NOT_UTF8: Final = 'not-utf8'
UNREADABLE: Final = 'unreadable'
FILE_TOO_LARGE: Final = 'file-too-large'
NO_FRONTMATTER: Final = 'no-frontmatter'
FRONTMATTER_UNCLOSED: Final = 'frontmatter-unclosed'
FRONTMATTER_TOO_LARGE: Final = 'frontmatter-too-large'
FRONTMATTER_TOO_DEEP: Final = 'frontmatter-too-deep'
FRONTMATTER_INVALID: Final = 'frontmatter-invalid'
DUPLICATE_KEY: Final = 'duplicate-key'
NO_DESCRIPTION: Final = 'no-description'
FIELD_INVALID: Final = 'field-invalid'
NO_NAME: Final = 'no-name'
REFUSED: Final = 'refused'

DUPLICATE: Final = 'duplicate'
SHADOWED: Final = 'shadowed'
NOT_A_LIBRARY: Final = 'not-a-library'
LINK_ESCAPE: Final = 'link-escape'
LIBRARY_EMPTY: Final = 'library-empty'
NOT_FETCHED: Final = 'not-fetched'
KEY_LEFT_OUT: Final = 'key-left-out'
NAME_ILLEGAL: Final = 'name-illegal'
CATALOG_CUT: Final = 'catalog-cut'
DESCRIPTION_LONG: Final = 'description-long'
FIELDS_IGNORED: Final = 'fields-ignored'
NAME_RISKY: Final = 'name-risky'


@dataclass(frozen=True)
class Code:
    """One kind of finding."""

    severity: Severity
    """How much it matters, unless the diagnostic says otherwise: with `strict=True` what would be a repair is an error."""

    meaning: str
    """What has been found, and what was made of it."""

    remedy: str
    """What the skill's author, or whoever composes skills, can do."""


@dataclass(frozen=True)
class Finding:
    """What was found in one `SKILL.md`, which is called by that name in the message."""

    code: str
    """One of `CODES`."""

    message: str
    """A sentence that calls the file `SKILL.md`."""

    hint: str | None = None
    """How to mend it."""

    severity: Severity | None = None
    """As for `SkillDiagnostic`; `None` for that of the code."""

    def about(self, path: Path | str) -> SkillDiagnostic:
        """The diagnostic about the file at `path`, which takes the place of `SKILL.md` in the message."""
        severity = self.severity or CODES[self.code].severity
        message = self.message.replace('SKILL.md', str(path), 1)
        if severity == 'error':
            message += ' The skill is left out.'
        return SkillDiagnostic(path, severity, self.code, message, self.hint)


CODES: Final[Mapping[str, Code]] = MappingProxyType({
    # repairs: the skill loads, the file stays as it is
    BYTE_ORDER_MARK: Code(
        'warning',
        'The file begins with a byte order mark (U+FEFF), as some editors on Windows write it; the mark was dropped.',
        'Save the file as UTF-8 without a byte order mark.',
    ),
    TEXT_ABOVE_FRONTMATTER: Code(
        'warning',
        'Blank lines or an HTML comment stand above the frontmatter, which must be the first thing in the file; they '
        'were dropped.',
        'Move the comment below the frontmatter, so that the first line is `---`.',
    ),
    FENCE_BLANKS: Code(
        'warning',
        'A fence of the frontmatter has blanks after its three hyphens; they were dropped.',
        'Let each fence be `---` and nothing else.',
    ),
    VALUE_QUOTED: Code(
        'warning',
        'A value in the frontmatter is not valid YAML as it stands, mostly because it holds `: ` or begins with `[`, `{` '
        'or a quote that ends too early. It was taken word for word, ` #` and all that follows included; lines that '
        'continue it were joined by a blank.',
        'Put the value in quotes, or write it as a block: `description: >-` and the text indented below.',
    ),
    TABS_EXPANDED: Code(
        'warning',
        'Lines in the frontmatter are indented by tabs, which YAML does not allow; each tab was read as two blanks.',
        'Indent by blanks.',
    ),
    FRONTMATTER_LONG: Code(
        'warning',
        'The frontmatter has more than 16,384 characters. Its longest fields were passed over, but never the name, the '
        'description or what says who may invoke the skill.',
        'Keep the fields short, and move text below the frontmatter or into files beside it.',
    ),
    NAME_MENDED: Code(
        'warning',
        'The name in the frontmatter differs from that of the folder, or one of them is no legal skill name (at most 64 '
        'lowercase letters or numbers and single hyphens). The skill goes by the name of the folder if that is legal, '
        'else by that in the frontmatter, else by the legal name nearest to that of the folder.',
        'Give the folder a legal name, and the same name to the skill in the frontmatter.',
    ),
    CASE_MENDED: Code(
        'warning',
        'The file is called `skill.md`, or has another mixture of cases; it was read as `SKILL.md`.',
        'Rename the file to `SKILL.md`.',
    ),
    # skips: the skill is left out, the others load
    NOT_UTF8: Code(
        'error',
        'The file is not UTF-8: it is UTF-16, or in an older encoding such as Windows-1252, or is no text.',
        'Save the file as UTF-8.',
    ),
    UNREADABLE: Code(
        'error',
        'The file cannot be read: it is no regular file, or its permissions do not allow it, or it is a link that leads '
        'nowhere or out of its library.',
        'Put a regular file in its place that this process may read.',
    ),
    FILE_TOO_LARGE: Code(
        'error',
        'The file is larger than instructions can be (2 MiB).',
        'Move what is not needed at once into files beside it, and name them in the instructions.',
    ),
    NO_FRONTMATTER: Code(
        'error',
        'The file does not begin with frontmatter: a line `---`, fields such as `description: …`, and a line `---`.',
        'Add frontmatter with at least a description.',
    ),
    FRONTMATTER_UNCLOSED: Code(
        'error',
        'The frontmatter is opened by `---`, and no line `---` closes it.',
        'Add a line `---` below the last field.',
    ),
    FRONTMATTER_TOO_LARGE: Code(
        'error',
        'The frontmatter has more than 16,384 characters without the fields that could be passed over, or its YAML aliases '
        'unfold to more. It is not parsed.',
        'Keep the fields short, and move text below the frontmatter.',
    ),
    FRONTMATTER_TOO_DEEP: Code(
        'error',
        'The YAML of the frontmatter nests more than 32 levels deep, or holds itself by an alias. It is not parsed.',
        'Keep the fields flat.',
    ),
    FRONTMATTER_INVALID: Code(
        'error',
        'The frontmatter is not valid YAML and cannot be mended without guessing, or is no mapping of fields.',
        'Correct the line that the message names; a value in quotes is always right.',
    ),
    DUPLICATE_KEY: Code(
        'error',
        'A field stands twice in the frontmatter, so it is not known which is meant.',
        'Remove one of them.',
    ),
    NO_DESCRIPTION: Code(
        'error',
        'The frontmatter has no description, or one that is empty or is no text. Without it a model cannot know when to '
        'use the skill.',
        'Add `description:` and say what the skill does and when to use it.',
    ),
    FIELD_INVALID: Code(
        'error',
        '`disable-model-invocation` or `user-invocable` is neither `true` nor `false`.',
        'Write `true` or `false`, or remove the field.',
    ),
    NO_NAME: Code(
        'error',
        'Neither the folder nor the frontmatter has a name with a letter or number in it, so the skill can have no id.',
        'Rename the folder: lowercase letters, numbers and single hyphens.',
    ),
    REFUSED: Code(
        'error',
        'The parser (pydantic-ai-harness) refuses the file for the reason that the message gives.',
        'Correct what the message names.',
    ),
    # several skills, and what surrounds them
    DUPLICATE: Code(
        'error',
        'Two different packages go by one name, and neither library was told to give way.',
        "Rename or exclude one of them, or pass `duplicate_names='keep_first'`.",
    ),
    SHADOWED: Code(
        'warning',
        'Another skill of the same name takes precedence, and this one cannot be reached.',
        'Rename or exclude one of them.',
    ),
    NOT_A_LIBRARY: Code(
        'warning',
        'A path that was to hold skill packages is a file, or is a skill package itself; it was passed over.',
        'Pass the folder that holds the skill packages.',
    ),
    LINK_ESCAPE: Code(
        'warning',
        'A symbolic link leads out of its package, or out of its registry; what it leads to is not part of the skill.',
        'Put the file itself in its place.',
    ),
    LIBRARY_EMPTY: Code(
        'warning',
        'There is no skill package in a directory, or where a registry looked for them. For a directory this is an info, '
        'unless there are skills deeper in it.',
        "Correct the path or prefix, or pass `layout='tree'` to the registry, which finds packages at any depth.",
    ),
    NOT_FETCHED: Code(
        'warning',
        'A Git registry did not fetch a submodule, the contents of files in Git LFS, of which only the pointers are '
        'there, or files whose paths are too long.',
        'Use a registry for the repository that the submodule stands for; keep files that a skill needs in Git itself.',
    ),
    KEY_LEFT_OUT: Code(
        'warning',
        'Keys of an S3 bucket cannot all be files of one library: one has empty parts, `.` or `..`, or clashes with '
        'another, if only by case.',
        'Rename or remove the objects that the message names.',
    ),
    NAME_ILLEGAL: Code(
        'error',
        'With the prefix of a view the name of a skill is no legal one: it has more than 64 characters.',
        'Use a shorter prefix, or rename the skill.',
    ),
    CATALOG_CUT: Code(
        'warning',
        'The descriptions together are longer than `catalog_budget`; the longest were cut at the end of a word.',
        'Raise `catalog_budget`, select fewer skills, or shorten descriptions.',
    ),
    DESCRIPTION_LONG: Code(
        'info',
        'The description is longer than the format allows (1,024 characters). It is kept whole.',
        'Shorten it to what the skill does and when to use it.',
    ),
    FIELDS_IGNORED: Code(
        'info',
        'The frontmatter has fields that some clients act on and this one does not, such as `allowed-tools` or `model`.',
        'Nothing, if the skill does without them.',
    ),
    NAME_RISKY: Code(
        'info',
        'The skill has the name of a capability of Pydantic AI or of pydantic-ai-harness. An agent that has both refuses '
        'to run.',
        'Rename the skill, or exclude it where that capability is used.',
    ),
})  # fmt: skip
"""Every code there is, by name."""
