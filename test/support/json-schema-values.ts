import fc from 'fast-check'

/** The keywords that schemas of requests use. */
export interface JsonSchema {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  format?: string
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  multipleOf?: number
  properties?: Record<string, JsonSchema>
  required?: string[]
  minProperties?: number
  additionalProperties?: boolean | JsonSchema
  propertyNames?: JsonSchema
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  allOf?: JsonSchema[]
  not?: JsonSchema
  dependentRequired?: Record<string, string[]>
  items?: JsonSchema
  minItems?: number
  maxItems?: number
}

type Resolve = (ref: string) => JsonSchema

/** Valid values of a schema. It knows no more of the rules than the schema says. */
export const valuesOf = (schema: JsonSchema, resolve: Resolve): fc.Arbitrary<unknown> => {
  if (schema.$ref) return valuesOf(resolve(schema.$ref), resolve)
  const { not, oneOf, allOf = [], dependentRequired = {} } = schema
  const rules = [...allOf, { ...(not && { not }), ...(oneOf && { oneOf }), dependentRequired }]
  return valuesOfType(schema, resolve).filter((value) => rules.every((rule) => matches(rule, value)))
}

const valuesOfType = (schema: JsonSchema, resolve: Resolve): fc.Arbitrary<unknown> => {
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (Array.isArray(schema.type)) return fc.oneof(...schema.type.map((type) => valuesOf({ ...schema, type }, resolve)))
  switch (schema.type) {
    case 'null':
      return fc.constant(null)
    case 'boolean':
      return fc.boolean()
    case 'string':
      return texts(schema)
    case 'integer':
      return fc.integer({ min: schema.minimum ?? -(2 ** 31), max: schema.maximum ?? 2 ** 31 })
    case 'number':
      return numbers(schema)
    case 'object':
      return objects(schema, resolve)
    case 'array':
      return fc.array(valuesOf(schema.items ?? {}, resolve), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? MAX_ITEMS, MAX_ITEMS),
      })
    default:
      if (schema.anyOf) return fc.oneof(...schema.anyOf.map((each) => valuesOf(each, resolve)))
      throw new Error(`no values for ${JSON.stringify(schema)}`)
  }
}

/** Longer lists would test nothing else. */
const MAX_ITEMS = 4

const texts = ({ format, pattern, minLength = 0, maxLength = 300 }: JsonSchema): fc.Arbitrary<string> => {
  const hasLength = (text: string) => text.length >= minLength && text.length <= maxLength
  const isMatch = (text: string) => pattern === undefined || new RegExp(pattern).test(text)
  return anyTexts(format, pattern, minLength, maxLength).filter((text) => hasLength(text) && isMatch(text))
}

const anyTexts = (
  format: string | undefined,
  pattern: string | undefined,
  minLength: number,
  maxLength: number,
): fc.Arbitrary<string> => {
  if (format === 'uri') return fc.webUrl({ validSchemes: ['https'], withQueryParameters: true })
  if (format === 'date-time') return fc.date({ noInvalidDate: true, ...years }).map((date) => date.toISOString())
  if (pattern === undefined) return fc.string({ minLength, maxLength, unit: 'grapheme' })
  return fc.stringMatching(new RegExp(pattern.replaceAll(LOOKAHEAD, '')))
}

const years = { min: new Date('0001-01-01'), max: new Date('9999-12-31') }

/** The library cannot generate them. What they exclude is filtered. */
const LOOKAHEAD = /\(\?!(?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)/g

const numbers = ({ minimum, maximum = 1e9, exclusiveMinimum, multipleOf }: JsonSchema): fc.Arbitrary<number> => {
  const min = Math.max(minimum ?? -1e9, exclusiveMinimum ?? -1e9)
  const isAbove = (value: number) => exclusiveMinimum === undefined || value > exclusiveMinimum
  if (multipleOf === undefined) return fc.double({ min, max: maximum, noNaN: true }).filter(isAbove)
  const multiples = fc.integer({ min: Math.ceil(min / multipleOf), max: Math.floor(maximum / multipleOf) })
  // Rounded, as a person writes it, and with the error of floating point, as a program computes it.
  const written = multiples.map((times) => Number((times * multipleOf).toFixed(6)))
  return fc
    .oneof(
      written,
      multiples.map((times) => times * multipleOf),
    )
    .filter((value) => isAbove(value) && value >= min && value <= maximum)
}

const objects = (schema: JsonSchema, resolve: Resolve): fc.Arbitrary<object> => {
  const { properties, required = [], minProperties = 0, additionalProperties, propertyNames } = schema
  if (!properties && additionalProperties !== false) {
    const hasSchema = typeof additionalProperties === 'object' && Object.keys(additionalProperties).length > 0
    const values = hasSchema ? valuesOf(additionalProperties, resolve) : fc.jsonValue({ maxDepth: 1 })
    return fc.dictionary(texts(propertyNames ?? {}), values, { maxKeys: 4, noNullPrototype: true })
  }
  const values = Object.entries(properties ?? {}).map(([name, each]) => [name, valuesOf(each, resolve)])
  return fc
    .record(Object.fromEntries(values), { requiredKeys: required as never[], noNullPrototype: true })
    .filter((value) => Object.keys(value).length >= minProperties)
}

/** Of the rules that stand beside the properties. */
const matches = (
  { required = [], properties = {}, dependentRequired = {}, anyOf, oneOf, not, ...schema }: JsonSchema,
  value: unknown,
): boolean => {
  const object = Object(value)
  const has = (name: string): boolean => Object.hasOwn(object, name)
  return (
    required.every(has) &&
    Object.entries(properties).every(([name, each]) => !has(name) || matches(each, object[name])) &&
    Object.entries(dependentRequired).every(([name, others]) => !has(name) || others.every(has)) &&
    (anyOf?.some((each) => matches(each, value)) ?? true) &&
    (!oneOf || oneOf.filter((each) => matches(each, value)).length === 1) &&
    !(not && matches(not, value)) &&
    (schema.enum?.includes(value) ?? true) &&
    (!('const' in schema) || schema.const === value)
  )
}
