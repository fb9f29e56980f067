"""Made-up `SKILL.md` files for property tests: bytes of any kind, and texts of the pieces that parsers trip over."""

from __future__ import annotations

from hypothesis import strategies as st

PIECES = [
    *'ab09-?:|>#&*!%@`"\'[]{},.~\\',
    *(' ', '  ', '\t', '\n', '\n  ', '\r\n', '\r', '\0', '\x7f', '\ufeff', '\ue000', '\U000f0000'),
    *('\v', '\f', '\x1c', '\x85', '\u2028', '\u2029', '\u00e9', 'e\u0301', '\U0001f600', '\u6280\u80fd', '\ufffe'),
    *(': ', ' #', '- ', '? ', '---', '\n---\n', '--- \n', '...', '<!--', '-->', '>-\n  ', '|2\n  ', "''", '""'),
    *('\\n', '\\u2028', '\\UFFFFFFFF', '\\ud800', '\\x0', '&a ', '*a', '&a [*a]', '!!str ', '<<: *a', '%YAML 1.1\n'),
    *('name: ', 'description: ', 'name: demo\n', 'name: Other\n', 'description: Use when: x\n', 'user-invocable: no\n'),
    *('metadata:\n  k: v\n', 'metadata: {"a": [1, {"b": "c: d"}]}\n', 'allowed-tools: [Read, Bash(git:*)]\n'),
    *(
        'argument-hint: [a] [b]\n',
        'disable-model-invocation: true\n',
        'license: MIT\n',
        'description: >-\n  Two\n  lines\n',
    ),
]

texts = st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=40).map(''.join)
"""Any text, mostly of pieces that mean something to YAML."""

_heads = st.sampled_from([*[''] * 5, '\ufeff', '\n', '<!-- c -->\n', '\ufeff\n<!--\n---\n-->\n\n'])
_fences = st.sampled_from([*['---\n'] * 9, '--- \n', '---\r\n', '---\r', '---\t\n', '---\u2028\n'])
_names = st.sampled_from(
    ['', '', 'name: demo\n', 'name: Demo Skill\n', 'name: vendor-demo\n', 'name: [a]\n', 'name:\n']
)
_few = st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=7).map(''.join)
_fields = st.one_of(
    st.just('description: x\n'),
    _few.map('description: Use when {}\n'.format),
    st.tuples(_few, st.sampled_from(['a: ', 'metadata:\n  a: ', 'a: [', 'a: "', 'a: |\n  '])).map(
        lambda parts: f'description: x\n{parts[1]}{parts[0]}\n'
    ),
    _few.map('description: {}\n'.format),
    texts,
)

skill_texts = st.tuples(_heads, _fences, _names, _fields, _fences, _few).map(''.join)
"""Texts with frontmatter, of which about half load."""

_encodings = st.sampled_from(['utf-16', 'utf-16-le', 'utf-32', 'cp1252', 'utf-7', 'utf-8'])
_skill_bytes = skill_texts.map(lambda text: text.encode('utf-8', 'replace'))

skill_files = st.one_of(
    _skill_bytes,
    _skill_bytes,
    _skill_bytes,
    st.tuples(_skill_bytes, st.binary(max_size=3), st.integers(0, 99)).map(
        lambda parts: parts[0][: parts[2]] + parts[1] + parts[0][parts[2] :]
    ),
    st.tuples(skill_texts, _encodings).map(lambda pair: pair[0].encode(pair[1], 'replace')),
    st.binary(max_size=200) | texts.map(lambda text: text.encode('utf-8', 'surrogatepass')),
)
"""The bytes of a `SKILL.md`, of whatever kind."""

folders = st.sampled_from([*['demo'] * 6, 'My Skill', 'math_add', '___', 'caf\u00e9', 'cafe\u0301', 'x\udcff', 'a\nb'])
"""Names of folders."""
