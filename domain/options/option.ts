import type { JobMetadata } from '../jobs/job-metadata.ts'
import type { TextRule } from '../text-rule.ts'

/**
 * A field of a request that starts work is a row of a table in this folder, and each way in is made from the rows: the JSON
 * body and the OpenAPI document (`worker/http/jobs/option-schemas.ts`), and from that both clients; OpenAI's form and
 * the query of /asr; the tools of MCP; the flags of the command line; and the console's form. What an option means is in
 * the room that acts on it.
 */
export type Option = Shape & Facts & Doors

/** What a value is, with its bounds. Those of the last line have rules of their own (`worker/http/jobs/own-shapes.ts`). */
export type Shape =
  | { type: 'boolean' }
  | { type: 'integer'; min: number; max: number }
  | { type: 'dollars'; max: number }
  | { type: 'choice'; values: readonly string[] }
  | { type: 'text'; max: number; pattern?: RegExp; message?: string }
  | { type: 'checked'; problem: (text: string) => string | null; rule: TextRule }
  | { type: 'list'; of: Shape; min?: number; max: number }
  | { type: 'url' | 'id' | 'clip' | 'speakers' | 'metadata' | 'providerKey' | 'providerOptions' }

/** Without a default and `required`, it may be missing. */
interface Facts {
  default?: unknown
  required?: true
  about?: string
  example?: unknown
}

/** Where it is known, besides the JSON body and the clients. The command line and the form show what they say of it. */
interface Doors {
  openai?: Door
  asr?: Door
  mcp?: Door
  flags?: readonly Flag[]
  form?: readonly FormField[]
}

/** Its name at a door, and what is different there. */
export interface Door extends Facts {
  name: string
  type?: Shape['type']
  values?: readonly string[]
}

export type StartCommand = 'import' | 'transcribe' | 'batch'
/** The words are those of commander: `--clip <start-end>`. */
export type Flag = readonly [command: StartCommand, words: string, about: string]

/** An input of the console's form. */
export interface FormField {
  label: string
  /** Of the input. Absent: that of the option. */
  name?: string
  /** Of an option that is an object. */
  part?: string
  shown?: Shown
  /** Absent: as the type of the option has it. */
  look?: 'check' | 'wide' | 'narrow'
  /** Of a text of several lines. */
  rows?: number
  /** Of a checkbox that stands for a value. */
  value?: string
  choices?: readonly (string | readonly [value: string, label: string])[]
  placeholder?: string
  size?: number
}

/** When a field is shown: for which outputs, ways to a transcript and sources, and with which checkbox. Absent: with any. */
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

export type Options = Readonly<Record<string, Option>>

interface OwnValues {
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

export type ValueOf<Given> = Given extends { type: 'choice'; values: readonly (infer Value)[] }
  ? Value
  : Given extends { type: 'list'; of: infer Item }
    ? ValueOf<Item>[]
    : Given extends { type: infer Type extends keyof OwnValues }
      ? OwnValues[Type]
      : never

/** Whether a valid request always has a value. */
export type IsPresent<Given> = Given extends { default: unknown } | { required: true } ? true : false

/** What a valid request has. */
export type ValuesOf<Table> = {
  -readonly [Name in keyof Table as IsPresent<Table[Name]> extends true ? Name : never]: ValueOf<Table[Name]>
} & {
  -readonly [Name in keyof Table as IsPresent<Table[Name]> extends true ? never : Name]?:
    | ValueOf<Table[Name]>
    | undefined
}

/** The options of a table that have a value, without other fields of the request. */
export const given = <Table extends Options, Values extends Partial<ValuesOf<Table>>>(
  table: Table,
  values: Values,
): Pick<Values, keyof Table & keyof Values> =>
  Object.fromEntries(
    Object.entries(values).filter(([name, value]) => Object.hasOwn(table, name) && value !== undefined),
  ) as Pick<Values, keyof Table & keyof Values>

type Defaults<Table> = {
  [Name in keyof Table as Table[Name] extends { default: unknown } ? Name : never]: ValueOf<Table[Name]>
}

/** What a request has that says nothing. */
export const defaultsOf = <Table extends Options>(table: Table): Defaults<Table> =>
  Object.fromEntries(
    Object.entries(table).flatMap(([name, row]) => (row.default === undefined ? [] : [[name, row.default]])),
  ) as Defaults<Table>

export type DoorName = 'openai' | 'asr' | 'mcp'

type NameAt<Row, At extends DoorName> = Row extends { [Name in At]: { name: infer Name extends string } } ? Name : never
type RowAt<Row, At extends DoorName> = Row extends { [Name in At]: infer There }
  ? Omit<Row, keyof There> & There
  : never

/** The options that a door has, by their names there. */
export type TableAt<Table, At extends DoorName> = {
  [Name in keyof Table as NameAt<Table[Name], At>]: RowAt<Table[Name], At>
}

export const tableAt = <Table extends Options, At extends DoorName>(table: Table, at: At): TableAt<Table, At> =>
  Object.fromEntries(
    Object.values(table).flatMap((row) => {
      const there = row[at]
      return there ? [[there.name, { ...row, ...there }]] : []
    }),
  ) as unknown as TableAt<Table, At>

/** What was asked at a door, by the names of the API. */
export const askedAt = <Table extends Options>(
  table: Table,
  at: DoorName,
  asked: Readonly<Record<string, unknown>>,
): Partial<ValuesOf<Table>> =>
  Object.fromEntries(
    Object.entries(table).flatMap(([name, row]) => {
      const value = row[at] && asked[row[at].name]
      return value === undefined ? [] : [[name, value]]
    }),
  ) as Partial<ValuesOf<Table>>
