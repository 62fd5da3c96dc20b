import type { JobMetadata } from '../jobs/job-metadata.ts'
import type { TextRule } from '../text-rule.ts'
import type { WatchFilter } from '../watches/filter.ts'

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
  /** The other interfaces that have it, besides the JSON body and the clients. */
  openai?: Door
  asr?: Door
  mcp?: Door
  flags?: readonly Flag[]
  form?: FormField | readonly FormField[]
}

export type Options = Readonly<Record<string, Option>>

/** The type of a value, with its bounds. The rules of the types in the last two lines are in `worker/http/jobs/option-schemas.ts`. */
export type Shape =
  | { type: 'boolean' }
  | { type: 'integer'; min: number; max: number }
  | { type: 'dollars'; max: number }
  | { type: 'choice'; values: readonly string[] }
  | { type: 'text'; max: number; pattern?: RegExp; message?: string }
  | { type: 'checked'; problem: (text: string) => string | null; rule: TextRule }
  | { type: 'list'; of: Shape; min?: number; max: number }
  | { type: 'url' | 'id' | 'clip' | 'speakers' | 'metadata' | 'providerKey' | 'providerOptions' | 'captionLanguages' }
  | { type: 'time' | 'watchFilter' }

/** The sentence at another interface, or everything that differs there. Without `name`, the name is the option's in snake_case. */
export type Door = string | { name?: string; shape?: Shape; default?: unknown; about?: string }

/**
 * The commands that have it, separated by spaces; the flag as commander takes it, such as `--clip <start-end>`; its help; and
 * what the flag means without a value, if it may have none.
 */
export type Flag = readonly [commands: string, words: string, about: string, preset?: string]

/** An input of the console's form. Its kind follows from the shape and from `look`. */
export interface FormField {
  label: string
  /** Without it, the name of the option. */
  name?: string
  /** The field of an option that is an object. */
  part?: string
  shown?: Shown
  look?: 'check' | 'wide'
  /** The value that a checkbox stands for. */
  value?: string
  /** Without them, the values of the option. */
  choices?: readonly string[]
  labels?: readonly string[]
  placeholder?: string
}

/** The outputs, ways to a transcript, sources and checkboxes with which a field is shown. What is absent does not matter. */
export interface Shown {
  for?: string
  way?: string
  from?: string
  /** One of these checkboxes is checked. */
  needs?: string
  /** Hidden where everything is free. */
  isMoney?: true
  /** Shown with what else is made beside the media. */
  isAlso?: true
  /** Shown under "More options". */
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
  captionLanguages: string[] | 'all'
  time: string
  watchFilter: WatchFilter
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

/** The fields of a request that are options of the table and have a value. */
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

/** The options that another interface has, by their names there. */
export const tableAt = <Table extends Options, At extends DoorName>(table: Table, at: At): TableAt<Table, At> =>
  mapped(table, (name, row) => {
    const there = doorOf(row, at)
    return there && [there.name ?? snakeCase(name), { ...row, ...there }]
  })

/** The values that were given at another interface, by the names of the options. */
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
  if (door === undefined) return null
  return typeof door === 'string' ? { about: door } : door
}

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`)

/** The callers name the type of the result: it follows from the table's type in a way that the compiler cannot infer. */
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
