import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { documentText } from '../document.mjs'

/** Types of the Python package: a frozen dataclass for each object of a response, a TypedDict for each of a request. */
const document = JSON.parse(await documentText())
const schemas = document.components.schemas
const operations = Object.values(document.paths).flatMap((path) => Object.values(path))
const operation = (id) => operations.find(({ operationId }) => operationId === id)

/** The document says only in words which of the two the metadata is (decision 76), and the package tells them apart by it. */
const isPlaylistIn = { PlaylistMetadata: true, SourceMetadata: false }
for (const [name, value] of Object.entries(isPlaylistIn)) schemas[name].properties.isPlaylist.enum = [value]

const bodyOf = (id) => operation(id).requestBody.content['application/json'].schema

const responses = [
  ...[
    'Account',
    'Batch',
    'BatchItem',
    'ImportJob',
    'ImportStatus',
    'JobInList',
    'Key',
    'MadeKey',
    'Model',
    'PendingUpload',
  ],
  ...['NewWatchItem', 'PlaylistMetadata', 'Quote', 'ReadyUpload', 'Refusal', 'RemovedUpload', 'SearchResult'],
  ...['SourceMetadata', 'StartedBatch', 'StartedJob', 'StartedWatch', 'TranscriptionJob', 'TranscriptionStatus'],
  ...['Watch', 'WatchItem', 'WebhookSecret'],
]

const without = (schema, ...names) => {
  const { properties, required = [] } = flat(schema)
  const kept = Object.entries(properties).filter(([name]) => !names.includes(name))
  return { properties: Object.fromEntries(kept), required: required.filter((name) => !names.includes(name)) }
}

const filterOf = (id, ...others) => {
  const parameters = operation(id).parameters.filter(({ in: place }) => place === 'query')
  const properties = Object.fromEntries(parameters.map(({ name, schema }) => [name, schema]))
  return without({ properties }, 'cursor', 'limit', ...others)
}

const requests = {
  ImportFields: without(schemas.ImportRequest, 'url'),
  TranscribeFields: without(schemas.TranscribeRequest, 'url', 'importId', 'uploadId'),
  BatchFields: schemas.BatchRequest,
  AccountChanges: bodyOf('updateAccount'),
  JobFilter: filterOf('listJobs'),
  SearchFilter: filterOf('search', 'q'),
  KeyFields: bodyOf('createKey'),
  KeyChanges: bodyOf('updateKey'),
  WatchFields: schemas.WatchRequest,
  WatchChanges: schemas.WatchChanges,
}

const transcript = (() => {
  const names = ['source', 'providerService', 'title', 'language', 'duration', 'chapters', 'wordsAvailable']
  const { properties, required } = schemas.TranscriptionResult
  const kept = Object.fromEntries(names.map((name) => [name, properties[name]]))
  const segments = { type: 'array', items: { $ref: '#/components/schemas/Segment' } }
  return {
    properties: { text: { type: 'string' }, segments, ...kept },
    required: ['text', 'segments', ...required.filter((name) => names.includes(name))],
  }
})()

/** Classes by their names, each after those that it uses. */
const classes = new Map()

function flat(schema) {
  if (schema.$ref) return flat(schemas[nameIn(schema)])
  const parts = (schema.allOf ?? []).filter((part) => part.$ref || part.properties).map(flat)
  return {
    ...schema,
    properties: Object.assign({}, ...parts.map(({ properties }) => properties), schema.properties),
    required: [...parts.flatMap(({ required = [] }) => required), ...(schema.required ?? [])],
  }
}

const nameIn = ({ $ref }) => $ref.split('/').at(-1)

const keywords = new Set(['import', 'from', 'class', 'def', 'global', 'in', 'is', 'not', 'or', 'and', 'pass', 'with'])
const snake = (name) => {
  const words = name.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`)
  return keywords.has(words) ? `${words}_` : words
}
const pascal = (name) => name[0].toUpperCase() + name.slice(1)
const singular = (name) => name.replace(/ies$/, 'y').replace(/s$/, '')

const literal = (value) => (value === null ? 'None' : typeof value === 'boolean' ? pascal(`${value}`) : `"${value}"`)
const simple = { string: 'str', integer: 'int', number: 'float', boolean: 'bool', null: 'None' }

/** `kind` is `model` or `fields`. `owner` names the class of an object without a name. */
const typeOf = (schema, kind, owner) => {
  if (schema.$ref) return declared(nameIn(schema), schemas[nameIn(schema)], kind)
  // A reference with a description of its own.
  const [named, ...beside] = schema.allOf ?? []
  if (named?.$ref && !beside.some((part) => part.$ref || part.properties)) return typeOf(named, kind, owner)
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return union(choices.map((choice) => typeOf(choice, kind, owner)))
  if (Array.isArray(schema.type))
    return union(schema.type.map((type) => (type === 'null' ? 'None' : typeOf({ ...schema, type }, kind, owner))))
  const values = schema.enum?.filter((value) => value !== null)
  if (values) return `Literal[${values.map(literal).join(', ')}]`
  if ('const' in schema) return `Literal[${literal(schema.const)}]`
  if (schema.prefixItems) return `tuple[${schema.prefixItems.map((each) => typeOf(each, kind, owner)).join(', ')}]`
  if (schema.type === 'array') return `list[${typeOf(schema.items, kind, singular(owner))}]`
  if (schema.properties || schema.allOf) return declared(owner, schema, kind)
  if (schema.type === 'object') {
    const values = schema.additionalProperties
    return `dict[str, ${values?.type ? typeOf(values, kind, owner) : 'Any'}]`
  }
  return simple[schema.type] ?? 'Any'
}

const union = (types) => [...new Set(types)].sort((a, b) => (a === 'None') - (b === 'None')).join(' | ')

const documentation = (text, indent) => {
  if (!text) return []
  const [first, ...others] = text.replaceAll('\\', '\\\\').replaceAll('"""', "'''").trim().split('\n')
  return [`${indent}"""${[first, ...others].join(`\n${indent}`)}${first.endsWith('"') ? ' ' : ''}"""`]
}

const declared = (name, schema, kind) => {
  if (classes.has(name)) return name
  const { properties, required = [], description } = flat(schema)
  const fields = Object.entries(properties).flatMap(([property, field]) => {
    const type = typeOf(field, kind, name + pascal(property))
    const isRequired = required.includes(property)
    return [fieldIn[kind](snake(property), type, isRequired), ...documentation(field.description, '    ')]
  })
  classes.set(name, [...heading[kind](name), ...documentation(description, '    '), ...fields].join('\n'))
  return name
}

const heading = {
  model: (name) => ['@dataclass(frozen=True, kw_only=True)', `class ${name}:`],
  fields: (name) => [`class ${name}(TypedDict, total=False):`],
}
const fieldIn = {
  model: (name, type, isRequired) =>
    `    ${name}: ${isRequired ? type : `${union([...type.split(' | '), 'None'])} = None`}`,
  fields: (name, type, isRequired) => `    ${name}: ${isRequired ? `Required[${type}]` : type}`,
}

for (const name of responses) declared(name, schemas[name], 'model')
declared('Transcript', transcript, 'model')
for (const [name, schema] of Object.entries(requests)) declared(name, schema, 'fields')

const header = `# Generated from the OpenAPI document, and not committed.
# ruff: noqa: E501
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypedDict

if TYPE_CHECKING:
    from typing_extensions import Required
`
const file = join(import.meta.dirname, '../../../python/src/haul_client/_models.py')
await writeFile(file, `${[header.trimEnd(), ...classes.values()].join('\n\n\n')}\n`)
