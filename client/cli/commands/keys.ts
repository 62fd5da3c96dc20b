import type { Command } from 'commander'
import { HaulApiError, HaulConnectionError, type Key, type KeyChanges, type NewKey } from '../../src/index.ts'
import { all } from '../entries.ts'
import { UsageError } from '../exit-codes.ts'
import { parseBudget, parseExpiry, parseOrigins, parseScopes } from '../options.ts'
import { type OutputOptions, openSession, type Session } from '../session.ts'
import { factLine, printable, printLine } from '../terminal/output.ts'
import { dollarsText, localTime } from '../terminal/quantities.ts'
import { tableLines } from '../terminal/table.ts'

interface Options extends OutputOptions {
  name?: string
  scopes?: string
  budget?: string
  expires?: string
  origin?: string[]
}

export const addKeys = (program: Command): Command => {
  const keys = program
    .command('keys')
    .summary('list, make, change and remove API keys')
    .description(
      'Lists the API keys of the account. Give each program a key of its own, which may do only what the program does. It needs a full key, which has all scopes and no budget, expiry or origins.',
    )
    .helpCommand(false)
    .addHelpText(
      'after',
      '\nExample:\n  haul keys create ci --scopes read,transcribe --budget 5\n\nThe options are in the help of each: haul keys create --help',
    )
  keys
    .command('list', { isDefault: true })
    .summary('what each key may do and has spent (the default)')
    .description(
      'Lists the keys of the account: their scopes, what each has spent of its budget in this month (of UTC), their ids and how they begin.',
    )
    .addHelpText('after', '\nExample:\n  haul keys --json')
    .action(listKeys)
  withTerms(keys.command('create'))
    .summary('make a key')
    .description('Makes a key, and prints it: only the key on stdout, and only this once.')
    .argument('<name>', 'what the key is for')
    .addHelpText(
      'after',
      '\nExamples:\n  haul keys create ci --scopes transcribe --budget 5 --expires 30d\n  KEY=$(haul keys create ci)',
    )
    .action(createKey)
  withTerms(keys.command('update').option('--name <name>', 'what the key is for'))
    .summary('change what a key may do')
    .description('Changes a key from its next request on. What is not named stays as it is.')
    .argument('<id>', 'key_…')
    .addHelpText('after', '\nExample:\n  haul keys update key_01HXYZ --budget 10 --expires never')
    .action(updateKey)
  keys
    .command('remove')
    .summary('remove a key')
    .description(
      'Removes a key. It is refused from its next request on. Jobs that it has started go on under its budget.',
    )
    .argument('<id>', 'key_…')
    .addHelpText('after', '\nExample:\n  haul keys remove key_01HXYZ')
    .action(removeKey)
  return keys
}

const withTerms = (command: Command): Command =>
  command
    .option('--scopes <scopes>', 'some of read,import,transcribe,manage')
    .option('--budget <dollars>', 'the most that its jobs may cost in a month, or none')
    .option('--expires <when>', 'a day such as 2027-01-31, 30d from now, or never')
    .option('--origin <url...>', 'the web pages that may use it: https://app.example, or none')

const listKeys = async (options: OutputOptions): Promise<void> => {
  const { haul, signal, print, tableColumns } = await openSession(options)
  const keys = await all(haul.keys.list({ signal }))
  await print({ keys }, () => printLine(keyLines(keys, tableColumns).join('\n')))
}

const createKey = async (name: string, options: Options): Promise<void> => {
  const key = { ...termsOf(options), name } as NewKey
  const session = await openSession(options)
  const { haul, signal, print, note } = session
  const made = await haul.keys.create(key, { signal }).catch((error) => {
    if (mayBeMade(session, error)) note('The key may have been made all the same: `haul keys` lists it.')
    throw error
  })
  await print(made, async () => {
    for (const line of factLines(made)) note(line)
    note('The key is shown only this once.')
    await printLine(printable(made.apiKey))
  })
}

/** A request that makes a key is not sent again, because nobody would see the key of the first one. */
const mayBeMade = ({ signal }: Session, error: unknown): boolean =>
  signal.aborted || error instanceof HaulConnectionError || (error instanceof HaulApiError && error.status >= 500)

const updateKey = async (keyId: string, options: Options): Promise<void> => {
  const changes = termsOf(options)
  if (Object.values(changes).every((value) => value === undefined)) {
    throw new UsageError('Name what to change: --name, --scopes, --budget, --expires or --origin.')
  }
  const { haul, signal, print } = await openSession(options)
  const key = await haul.keys.update(keyId, changes as KeyChanges, { signal })
  await print(key, () => printLine(factLines(key).join('\n')))
}

const removeKey = async (keyId: string, options: OutputOptions): Promise<void> => {
  const { haul, signal, isJson } = await openSession(options)
  await haul.keys.remove(keyId, { signal })
  // The API has no data for this.
  if (!isJson) await printLine(`${printable(keyId)} is removed.`)
}

/** The fields of `POST /keys` and `PATCH /keys/{id}`. The API checks their values. */
const termsOf = ({ name, scopes, budget, expires, origin }: Options) => ({
  name,
  scopes: parsed(scopes, parseScopes),
  dollarsPerMonth: parsed(budget, parseBudget),
  expiresAt: parsed(expires, parseExpiry),
  allowedOrigins: parsed(origin, parseOrigins),
})

/** Options that are not given stay undefined. The parser of the command line would make null an empty string. */
const parsed = <Given, Value>(given: Given | undefined, parse: (given: Given) => Value): Value | undefined =>
  given === undefined ? undefined : parse(given)

const NAMELESS = '(made by an operator)'

/** What a key may do, in a line of a table. Below it are the names that it has elsewhere, and its pages. */
export const keyLines = (keys: readonly Key[], maxColumns?: number): string[] => {
  const [titles = '', ...rows] = tableLines(
    [
      { title: 'Name', isFlexible: true },
      { title: 'Scopes', isFlexible: true },
      { title: 'This month' },
      { title: 'Expires' },
      { title: 'Last used' },
    ],
    keys.map((key) => [
      key.name ?? NAMELESS,
      scopesText(key),
      spentText(key),
      key.expiresAt === null ? 'never' : localTime(key.expiresAt),
      key.lastUsedAt === null ? 'never' : localTime(key.lastUsedAt),
    ]),
    maxColumns,
  )
  const below = ({ keyId, prefix, allowedOrigins }: Key) => [
    `  ${printable(keyId)}  ${printable(prefix)}…`,
    ...(allowedOrigins.length === 0 ? [] : [`  in pages of ${printable(allowedOrigins.join(', '))}`]),
  ]
  return [titles, ...keys.flatMap((key, index) => [rows[index] ?? '', ...below(key)])]
}

const factLines = (key: Key): string[] => [
  `${printable(key.name ?? NAMELESS)} (${printable(key.keyId)})`,
  factLine('Scopes', key.scopes.join(', ')),
  factLine('Budget', key.dollarsPerMonth === null ? 'none' : `${dollarsText(key.dollarsPerMonth)} a month`),
  factLine('Expires', key.expiresAt === null ? 'never' : localTime(key.expiresAt)),
  ...(key.allowedOrigins.length === 0 ? [] : [factLine('Pages', key.allowedOrigins.join(', '))]),
]

const ALL_SCOPES = 4

const scopesText = ({ scopes }: Key): string => (scopes.length === ALL_SCOPES ? 'all' : scopes.join(', '))

const spentText = ({ spentThisMonthDollars, dollarsPerMonth }: Key): string => {
  const spent = dollarsText(spentThisMonthDollars)
  return dollarsPerMonth === null ? spent : `${spent} of ${dollarsText(dollarsPerMonth)}`
}
