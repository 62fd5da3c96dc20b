import type { JobMetadata } from '../jobs/job-metadata.ts'
import type { TextRule } from '../text-rule.ts'

/**
 * A field of a request that starts work. Every interface is made from these rows: the JSON body and the OpenAPI document
 * (`worker/http/jobs/option-schemas.ts`), and with it both clients; OpenAI's form, the query of /asr, the tools of MCP, the
 * flags of the command line, and the console's form. The code that acts on an option decides what it means.
 */
export interface Option {
  shape: Shape
  /** With neither a default nor `required`, the field may be missing. */
  default?: unknown
  required?: true
  about?: string
  example?: unknown
  /** Where it is known, besides the JSON body and the clients. */
  openai?: Door
  asr?: Door
  mcp?: Door
  flags?: readonly Flag[]
  form?: FormField | readonly FormField[]
}

export type Options = Readonly<Record<string, Option>>

/** The type of a value, with its bounds. `worker/http/jobs/option-schemas.ts` has the rules of the types in the last line. */
export type Shape =
  | { type: 'boolean' }
  | { type: 'integer'; min: number; max: number }
  | { type: 'dollars'; max: number }
  | { type: 'choice'; values: readonly string[] }
  | { type: 'text'; max: number; pattern?: RegExp; message?: string }
  | { type: 'checked'; problem: (text: string) => string | null; rule: TextRule }
  | { type: 'list'; of: Shape; min?: number; max: number }
  | { type: 'url' | 'id' | 'clip' | 'speakers' | 'metadata' | 'providerKey' | 'providerOptions' }

/** What a door says of it, or all that is different there. Its name is in snake_case, unless another is given. */
export type Door = string | { name?: string; shape?: Shape; default?: unknown; about?: string }

/** The commands that have it, separated by spaces; the words of commander, such as `--clip <start-end>`; the help. */
export type Flag = readonly [commands: string, words: string, about: string]

/** An input of the console's form. What it looks like follows from the shape, except for `look`. */
export interface FormField {
  label: string
  /** Absent: that of the option. */
  name?: string
  /** The field of an option that is an object. */
  part?: string
  shown?: Shown
  look?: 'check' | 'wide'
  /** Of a checkbox that stands for a value. */
  value?: string
  /** Absent: the values of the option. */
  choices?: readonly string[]
  labels?: readonly string[]
  placeholder?: string
}

/** For which outputs, ways to a transcript and sources a field is shown, and with which checkbox. Absent: with any. */
export interface Shown {
  for?: string
  way?: string
  from?: string
  needs?: string
  /** Not where nothing costs anything. */
  isMoney?: true
  /** Under "More options". */
  isMore?: true
}

interface ValuesByType {
  boolean: boolean
  integer: number
  dollars: number
  text: string
  checked: string
  url: string
  id: string
  clip: { start?: number | string | undefined; end?: number | string | undefined }
  speakers: boolean | { min?: number | undefined; max?: number | undefined }
  metadata: JobMetadata
  providerKey: string
  providerOptions: Record<string, unknown>
}

type ValueOfShape<Given> = Given extends { type: 'choice'; values: readonly (infer Value)[] }
  ? Value
  : Given extends { type: 'list'; of: infer Item }
    ? ValueOfShape<Item>[]
    : Given extends { type: infer Type extends keyof ValuesByType }
      ? ValuesByType[Type]
      : never

export type ValueOf<Row> = Row extends { shape: infer Given } ? ValueOfShape<Given> : never

type Present<Table> = {
  [Name in keyof Table]: Table[Name] extends { default: unknown } | { required: true } ? Name : never
}[keyof Table]

export type ValuesOf<Table> = { -readonly [Name in Present<Table>]: ValueOf<Table[Name]> } & {
  -readonly [Name in Exclude<keyof Table, Present<Table>>]?: ValueOf<Table[Name]> | undefined
}

/** The options of a table that have a value, without other fields of the request. */
export const given = <Table extends Options, Values extends Partial<ValuesOf<Table>>>(
  table: Table,
  values: Values,
): Pick<Values, keyof Table & keyof Values> =>
  mapped(values, (name, value) => (Object.hasOwn(table, name) && value !== undefined ? [name, value] : null))

type Defaults<Table> = {
  [Name in keyof Table as Table[Name] extends { default: unknown } ? Name : never]: ValueOf<Table[Name]>
}

export const defaultsOf = <Table extends Options>(table: Table): Defaults<Table> =>
  mapped(table, (name, row) => (row.default === undefined ? null : [name, row.default]))

type DoorName = 'openai' | 'asr' | 'mcp'

type SnakeCase<Name> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Name
type NameAt<Name, There> = There extends { name: infer Own extends string } ? Own : SnakeCase<Name>

type TableAt<Table, At extends DoorName> = {
  [Name in keyof Table as Table[Name] extends { [Door in At]: infer There }
    ? NameAt<Name, There> & string
    : never]: Table[Name] extends { [Door in At]: infer There extends object }
    ? Omit<Table[Name], keyof There> & There
    : Table[Name]
}

export const tableAt = <Table extends Options, At extends DoorName>(table: Table, at: At): TableAt<Table, At> =>
  mapped(table, (name, row) => {
    const there = doorOf(row, at)
    return there && [there.name ?? snakeCase(name), { ...row, ...there }]
  })

export const askedAt = <Table extends Options>(
  table: Table,
  at: DoorName,
  asked: Readonly<Record<string, unknown>>,
): Partial<ValuesOf<Table>> =>
  mapped(table, (name, row) => {
    const there = doorOf(row, at)
    const value = there && asked[there.name ?? snakeCase(name)]
    return value === undefined || value === null ? null : [name, value]
  })

const doorOf = (row: Option, at: DoorName) => {
  const door = row[at]
  return door === undefined ? null : typeof door === 'string' ? { about: door } : door
}

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`)

/** The type of what is made follows from that of the table, which the compiler cannot follow. */
const mapped = <Value, Made>(
  entries: Readonly<Record<string, Value>> | object,
  entry: (name: string, value: Value) => [string, unknown] | null,
): Made =>
  Object.fromEntries(
    Object.entries(entries).flatMap(([name, value]) => {
      const made = entry(name, value as Value)
      return made ? [made] : []
    }),
  ) as Made
