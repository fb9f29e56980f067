#!/usr/bin/env python3
# /// script
# requires-python = ">=3.9"
# dependencies = ["pypdf>=5"]
# ///
"""List the fields of a PDF form: name, kind, what it takes, and what is in it now."""

import argparse
import json
import sys

from pypdf import PdfReader
from pypdf.errors import PyPdfError

REQUIRED, RADIO, PUSH_BUTTON = 1 << 1, 1 << 15, 1 << 16


def kind_of(field):
    flags = int(field.get('/Ff', 0) or 0)
    if field.get('/FT') == '/Btn':
        return 'button' if flags & PUSH_BUTTON else 'radio' if flags & RADIO else 'checkbox'
    return {'/Tx': 'text', '/Ch': 'choice', '/Sig': 'signature'}.get(field.get('/FT'), 'unknown')


def options_of(field, kind):
    """What may be chosen, without the slash of PDF names."""
    if kind == 'choice':
        return [str(item[-1] if isinstance(item, list) else item) for item in field.get('/Opt', [])]
    if kind == 'radio':
        return [str(state).lstrip('/') for state in field.get('/_States_', []) if state != '/Off']
    return ['yes', 'no'] if kind == 'checkbox' else []


def fields_of(reader):
    """Each field that can be filled, in the order of the form."""
    fields = []
    for name, field in (reader.get_fields() or {}).items():
        kind = kind_of(field)
        if kind in ('unknown', 'button'):
            continue
        value = field.get('/V')
        value = '' if value is None or value == '/Off' else str(value).lstrip('/') if kind == 'radio' else str(value)
        if kind == 'checkbox':
            value = 'yes' if value else 'no'
        fields.append(
            {
                'name': name,
                'label': str(field.get('/TU', '')),
                'kind': kind,
                # A checkbox that is "required" would have to be ticked, which nobody means.
                'required': kind != 'checkbox' and bool(int(field.get('/Ff', 0) or 0) & REQUIRED),
                'options': options_of(field, kind),
                'value': value,
            }
        )
    return fields


def open_form(path):
    try:
        reader = PdfReader(path)
        if reader.is_encrypted and not reader.decrypt(''):
            sys.exit(f'{path} is protected by a password.')
        fields = fields_of(reader)
    except (OSError, PyPdfError) as error:
        sys.exit(f'{path} cannot be read as a PDF: {error}')
    if not fields:
        sys.exit(f'{path} has no form fields. It is a plain document: text would have to be drawn onto it.')
    return reader, fields


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('form', help='the PDF form')
    parser.add_argument('--json', action='store_true', help='write JSON, as fill_form.py takes values')
    options = parser.parse_args()
    _, fields = open_form(options.form)
    if options.json:
        print(json.dumps(fields, indent=2, ensure_ascii=False))
        return
    for field in fields:
        marks = ', required' if field['required'] else ''
        takes = f': {" | ".join(field["options"])}' if field['options'] else ''
        label = f' - {field["label"]}' if field['label'] else ''
        now = f' (now: {field["value"]})' if field['value'] else ''
        print(f'{field["name"]} [{field["kind"]}{marks}{takes}]{label}{now}')


if __name__ == '__main__':
    main()
