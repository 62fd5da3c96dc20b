import type { Command } from 'commander'
import type { Haul, Watch, WatchItem, WatchItemFilter } from '../../src/index.ts'
import { all } from '../entries.ts'
import { parseLimit } from '../options.ts'
import { type OutputOptions, openSession, type Session } from '../session.ts'
import { factLine, printable, printLine } from '../terminal/output.ts'
import { dollarsText, localTime } from '../terminal/quantities.ts'
import { tableLines } from '../terminal/table.ts'

interface Options extends OutputOptions {
  status?: NonNullable<WatchItemFilter['status']>
  limit: number
}

export const addWatches = (program: Command): Command => {
  const watches = program
    .command('watches')
    .summary('list, show, pause and remove watches')
    .description(
      'Lists the watches of the account, newest first: what they follow, how many items wait, and what they have cost in this month (of UTC). With an id it shows one, with its newest items. haul watch starts one.',
    )
    .helpCommand(false)
    .addHelpText(
      'after',
      '\nExamples:\n  haul watches\n  haul watches wat_01HXYZ --status failed\n  haul watches pause wat_01HXYZ\n\nThe options are in the help of each: haul watches list --help',
    )
  watches
    .command('list', { isDefault: true })
    .summary('all watches, or one with its newest items (the default)')
    .description('Lists the watches of the account, or shows one, with its newest items.')
    .argument('[id]', 'wat_…')
    .option('--status <status>', 'of its items, only those that are waiting, completed, failed …')
    .option('--limit <number>', 'the number of watches or items', parseLimit, 20)
    .addHelpText('after', '\nExample:\n  haul watches wat_01HXYZ --status failed')
    .action((id: string | undefined, options: Options) =>
      id === undefined ? listWatches(options) : showWatch(id, options),
    )
  for (const [name, { summary, more = '', act }] of Object.entries(acts)) {
    watches
      .command(name)
      .summary(summary)
      .description(`${summary[0]?.toUpperCase()}${summary.slice(1)}.${more}`)
      .argument('<id>', 'wat_…')
      .addHelpText('after', `\nExample:\n  haul watches ${name} wat_01HXYZ`)
      .action((id: string, options: OutputOptions) => change(id, options, act))
  }
  watches
    .command('remove')
    .summary('remove a watch')
    .description('Removes a watch and forgets its items. Its jobs go on, and what they have made stays.')
    .argument('<id>', 'wat_…')
    .addHelpText('after', '\nExample:\n  haul watches remove wat_01HXYZ')
    .action(removeWatch)
  return watches
}

type Act = (haul: Haul, id: string, signal: AbortSignal) => Promise<Watch>

const acts: Record<string, { summary: string; more?: string; act: Act }> = {
  pause: {
    summary: 'pause a watch until it is resumed',
    act: (haul, id, signal) => haul.watches.pause(id, { signal }),
  },
  resume: {
    summary: 'end the pause of a watch, and take what waits',
    act: (haul, id, signal) => haul.watches.resume(id, { signal }),
  },
  drop: {
    summary: 'leave out what waits',
    more: ' It is never taken. A watch that was paused because too many items were new goes on.',
    act: (haul, id, signal) => haul.watches.update(id, { waiting: 'drop' }, { signal }),
  },
  poll: {
    summary: 'read the list of a watch now',
    more: ' Within a minute of the last time, it waits.',
    act: (haul, id, signal) => haul.watches.poll(id, { signal }),
  },
}

const change = async (id: string, options: OutputOptions, act: Act): Promise<void> => {
  const { haul, signal, print } = await openSession(options)
  const watch = await act(haul, id, signal)
  await print(watch, () => printLine(factLines(watch).join('\n')))
}

const removeWatch = async (id: string, options: OutputOptions): Promise<void> => {
  const { haul, signal, isJson } = await openSession(options)
  await haul.watches.remove(id, { signal })
  // The API has no data for this.
  if (!isJson) await printLine(`${printable(id)} is removed.`)
}

const listWatches = async ({ limit, ...options }: Options): Promise<void> => {
  const { haul, signal, print, tableColumns } = await openSession(options)
  const watches = await all(haul.watches.list({ limit, signal }))
  await print({ watches }, () => printLine(watchLines(watches, tableColumns).join('\n')))
}

const showWatch = async (id: string, { status, limit, ...options }: Options): Promise<void> => {
  const session = await openSession(options)
  const { haul, signal, print } = session
  const watch = await haul.watches.get(id, { signal })
  const items = await all(haul.watches.items(id, { limit, signal, ...(status && { status }) }))
  const lines = [...factLines(watch), '', ...itemLines(session, items)]
  await print({ ...watch, items }, () => printLine(lines.join('\n')))
}

const watchLines = (watches: readonly Watch[], maxColumns?: number): string[] =>
  tableLines(
    [
      { title: 'Watch' },
      { title: 'Status' },
      { title: 'Next poll' },
      { title: 'Waiting', align: 'right' },
      { title: 'This month', align: 'right' },
      { title: 'Title or code', isFlexible: true },
    ],
    watches.map((watch) => [
      watch.watchId,
      watch.status,
      timeText(watch.nextPollAt),
      String(watch.waiting),
      spentText(watch),
      [watch.code, watch.title ?? watch.url].filter((text) => text).join(' · '),
    ]),
    maxColumns,
  )

const factLines = (watch: Watch): string[] => {
  const { watchId, title, url, status, message, code, nextPollAt, waiting } = watch
  return [
    `${printable(title ?? url)} (${printable(watchId)})`,
    factLine('URL', url),
    factLine('Status', message ? `${status}: ${message}${code ? ` (${code})` : ''}` : status),
    ...(code === 'TOO_MANY_NEW' ? choicesFor(watchId) : []),
    factLine('Makes', jobsText(watch)),
    factLine('Next poll', timeText(nextPollAt) || 'none'),
    factLine('Waiting', String(waiting)),
    factLine('This month', spentText(watch)),
  ]
}

const choicesFor = (watchId: string): string[] => [
  `  Take them: haul watches resume ${printable(watchId)}`,
  `  Leave them out: haul watches drop ${printable(watchId)}`,
]

const jobsText = ({ import: imported, transcribe }: Watch): string => {
  if (transcribe) return 'transcriptions'
  return imported ? 'imports' : 'no jobs: it only tells'
}

const itemLines = ({ tableColumns }: Session, items: readonly WatchItem[]): string[] =>
  tableLines(
    [
      { title: 'Date' },
      { title: 'Status' },
      { title: 'Job' },
      { title: 'Cost', align: 'right' },
      { title: 'Title or code', isFlexible: true },
    ],
    items.map(({ publishedAt, status, jobId, costInDollars, code, title, url }) => [
      timeText(publishedAt),
      status,
      jobId ?? '',
      costInDollars === null ? '' : dollarsText(costInDollars),
      [code, title ?? url].filter((text) => text).join(' · '),
    ]),
    tableColumns,
  )

const timeText = (time: string | null): string => (time === null ? '' : localTime(time))

const spentText = ({ spentThisMonthDollars, maxCostDollarsPerMonth }: Watch): string => {
  const spent = dollarsText(spentThisMonthDollars)
  return maxCostDollarsPerMonth === null ? spent : `${spent} of ${dollarsText(maxCostDollarsPerMonth)}`
}
