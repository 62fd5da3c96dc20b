/** Programs that read settings from their environment. `start` is `npm start`, `selfHost` the server of docs/self-hosting.md. */
export type Program = 'worker' | 'container' | 'start' | 'selfHost'

/** The Worker, and the programs that start it. */
export const usualPrograms = ['worker', 'start', 'selfHost'] as const

export interface Rule<Value> {
  /** Completes the sentence "PORT must be …". */
  mustBe: string
  /** `refuse` throws this sentence with the part of the text that is wrong. */
  read(text: string, refuse: (part: string) => never): Value
}

/** A row. `npm start` and the self-hosted server also take settings that they only pass on to the Worker and to containers. */
export interface Setting {
  rule: Rule<unknown>
  default?: string
  isSecret?: true
  /** What it is for: the beginning of a sentence, in Markdown with links from the root. */
  about: string
  /** What holds without a value, if there is no `default`, in Markdown. */
  otherwise?: string
  /** Absent: `usualPrograms`. */
  takenBy?: readonly Program[]
  differs?: Partial<Record<Program, Partial<Pick<Setting, 'rule' | 'default' | 'otherwise'>>>>
}

/** null: nothing is set, and there is no default. */
export type ValueOf<Row> = Row extends { rule: Rule<infer Value> }
  ? Row extends { default: string }
    ? Value
    : Value | null
  : never

/** Throws a sentence for the operator. An empty value counts as unset: files of settings have lines like `NAME=`. */
export const readSetting = <Row extends Pick<Setting, 'rule' | 'default' | 'isSecret'>>(
  name: string,
  row: Row,
  given: string | undefined,
): ValueOf<Row> => {
  const { rule, isSecret } = row
  // wrangler.toml may have a number without quotes.
  const value = `${given ?? ''}`.trim() || row.default
  const refuse = (part: string): never => {
    throw new Error(`${name} must be ${rule.mustBe}${isSecret ? '' : `, not "${part}"`}.`)
  }
  return (value === undefined ? null : rule.read(value, refuse)) as ValueOf<Row>
}
