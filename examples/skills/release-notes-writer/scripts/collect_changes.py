#!/usr/bin/env python3
"""Collect what changed between two versions from a repository's history, sorted by kind, as material for release notes."""

import argparse
import json
import re
import subprocess
import sys

FORMAT = '%x1e%h%x1f%an%x1f%as%x1f%s%x1f%b'
TITLES = {
    'breaking': 'Breaking changes',
    'feat': 'Features',
    'fix': 'Fixes',
    'perf': 'Performance',
    'security': 'Security',
    'docs': 'Documentation',
    'deps': 'Dependencies',
    'internal': 'Internal',
    'other': 'Other changes',
}
INTERNAL = frozenset(['build', 'chore', 'ci', 'refactor', 'style', 'test', 'tests'])
CONVENTIONAL = re.compile(r'(?P<type>[A-Za-z]+)(\((?P<scope>[^)]*)\))?(?P<mark>!)?:\s*(?P<text>.+)')
WORDS = (  # for histories without conventional commits: how the subject begins
    ('fix', re.compile(r'(fix|correct|repair|resolve|prevent|handle)\w*\b', re.I)),
    ('feat', re.compile(r'(add|introduce|implement|support|allow)\w*\b', re.I)),
    ('deps', re.compile(r'(bump|upgrade|pin)\w*\b', re.I)),
    ('docs', re.compile(r'(document|docs?\b|readme|typo)', re.I)),
    ('perf', re.compile(r'(speed|optimi[sz]e|faster)\w*\b', re.I)),
    ('internal', re.compile(r'(refactor|rename|test|lint|format|merge|clean|ci\b)\w*\b', re.I)),
)
PULL = re.compile(r'\(#(\d+)\)|Merge pull request #(\d+)')


def git(repo, *words):
    try:
        done = subprocess.run(['git', '-C', repo, *words], capture_output=True, text=True, errors='replace')
    except OSError as error:
        sys.exit(f'git cannot be run: {error.strerror}.')
    if done.returncode:
        sys.exit(f'git failed: {done.stderr.strip()}')
    return done.stdout


def last_tag(repo, end):
    done = subprocess.run(
        ['git', '-C', repo, 'describe', '--tags', '--abbrev=0', f'{end}^'], capture_output=True, text=True
    )
    return done.stdout.strip() if done.returncode == 0 else None


def change_of(record):
    """One commit as a change."""
    commit, author, date, subject, body = (record.split('\x1f', 4) + [''] * 5)[:5]
    found = CONVENTIONAL.fullmatch(subject.strip())
    kind, scope, text = 'other', None, subject.strip()
    if found:
        kind, scope, text = found['type'].lower(), found['scope'], found['text'].strip()
        kind = 'deps' if scope in ('deps', 'dependencies') else 'internal' if kind in INTERNAL else kind
        kind = kind if kind in TITLES else 'other'
    else:
        kind = next((name for name, pattern in WORDS if pattern.match(text)), 'other')
    breaking = re.search(r'^BREAKING[ -]CHANGE:\s*(.+(?:\n\S.*)*)', body, re.M)
    if breaking or (found and found['mark']):
        kind = 'breaking'
    pulls = [one or two for one, two in PULL.findall(f'{subject}\n{body}')]
    return {
        'kind': kind,
        'scope': scope,
        'text': PULL.sub('', text).strip(),
        'detail': ' '.join(breaking[1].split()) if breaking else None,
        'pull_request': int(pulls[0]) if pulls else None,
        'commit': commit,
        'author': author,
        'date': date,
    }


def as_markdown(changes, since, until):
    lines = [f'# Changes {f"since {since} " if since else ""}up to {until}', '']
    for kind, title in TITLES.items():
        listed = [change for change in changes if change['kind'] == kind]
        if not listed:
            continue
        lines += [f'## {title} ({len(listed)})', '']
        for change in listed:
            scope = f'{change["scope"]}: ' if change['scope'] else ''
            pull = f'#{change["pull_request"]}, ' if change['pull_request'] else ''
            lines.append(f'- {scope}{change["text"]} ({pull}{change["commit"]}, {change["author"]})')
            if change['detail']:
                lines.append(f'  {change["detail"]}')
        lines.append('')
    authors = sorted({change['author'] for change in changes})
    lines.append(f'{len(changes)} commits by {len(authors)}: {", ".join(authors)}.')
    return '\n'.join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('repo', help='the folder of the repository, or - to read the output of git log (see SKILL.md)')
    parser.add_argument('since', nargs='?', help='tag or commit of the version before; the last tag unless given')
    parser.add_argument('until', nargs='?', default='HEAD', help='tag or commit of the new version (default: HEAD)')
    parser.add_argument('--path', action='append', default=[], help='only changes below this path; may be repeated')
    parser.add_argument('--json', action='store_true', help='write JSON')
    options = parser.parse_args()
    since = options.since
    if options.repo == '-':
        log = sys.stdin.read()
    else:
        for reference in (since, options.until):
            if reference and reference.startswith('-'):
                sys.exit(f'{reference!r} is no tag or commit.')
        since = since or last_tag(options.repo, options.until)
        span = f'{since}..{options.until}' if since else options.until
        log = git(options.repo, 'log', '--no-merges', f'--format={FORMAT}', span, '--', *options.path)
    changes = [change_of(record.strip('\n')) for record in log.split('\x1e') if record.strip()]
    if not changes:
        sys.exit(f'There is no commit {f"since {since} " if since else ""}up to {options.until}.')
    if options.json:
        print(json.dumps({'since': since, 'until': options.until, 'changes': changes}, indent=2, ensure_ascii=False))
    else:
        print(as_markdown(changes, since, options.until))


if __name__ == '__main__':
    main()
