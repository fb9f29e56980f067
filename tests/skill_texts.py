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

_heads = st.sampled_from(['', '', '', '\ufeff', '\n', '<!-- c -->\n', '\ufeff\n<!--\n---\n-->\n\n'])
_fences = st.sampled_from(['---\n', '---\n', '---\n', '--- \n', '---\r\n', '---\r', '---\t\n', '---\u2028\n'])
_names = st.sampled_from(
    ['', '', 'name: demo\n', 'name: Demo Skill\n', 'name: vendor-demo\n', 'name: [a]\n', 'name:\n']
)
_frontmatters = st.tuples(_names, st.sampled_from(['', 'description: x\n', 'description: ']), texts, st.just('\n'))

skill_texts = st.tuples(_heads, _fences, _frontmatters.map(''.join), _fences, texts).map(''.join)
"""Texts with frontmatter, of which about a third load."""

skill_files = st.one_of(
    st.binary(max_size=200),
    texts.map(lambda text: text.encode('utf-8', 'surrogatepass')),
    skill_texts.map(lambda text: text.encode('utf-8', 'surrogatepass')),
    st.tuples(skill_texts, st.sampled_from(['utf-16', 'utf-16-le', 'utf-32', 'cp1252', 'utf-7'])).map(
        lambda pair: pair[0].encode(pair[1], 'replace')
    ),
    st.tuples(
        skill_texts.map(lambda text: text.encode('utf-8', 'replace')), st.binary(max_size=4), st.integers(0, 200)
    ).map(lambda parts: parts[0][: parts[2]] + parts[1] + parts[0][parts[2] :]),
)
"""The bytes of a `SKILL.md`, of whatever kind."""

folders = st.sampled_from(
    ['demo', 'demo', 'demo', 'My Skill', 'math_add', '___', 'caf\u00e9', 'cafe\u0301', 'x\udcff', 'a\nb']
)
"""Names of folders."""
