import type { Command } from 'commander'
import { HaulApiError, type HaulEvent } from '../../src/index.ts'
import { eventLine } from '../listen/event-line.ts'
import { type ForwardResult, forward } from '../listen/forward.ts'
import { isHttpUrl } from '../option-values.ts'
import { UsageError } from '../problems.ts'
import { type OutputOptions, openSession, type Session } from '../session.ts'
import { printable, printableJson } from '../terminal/printable.ts'
import { printLine } from '../terminal/stdout.ts'

interface Options extends OutputOptions {
  forwardTo?: string
}

export const addListen = (program: Command): Command =>
  program
    .command('listen')
    .summary('show events, and forward them as webhooks')
    .description(
      'Shows the events of all jobs and batches of the account, one in a line, until Ctrl-C. With --forward-to each is also sent to a local address as its webhook would come, signed with the secret of the account, whether or not its job has a webhookUrl. job.started has no webhook and is only shown.',
    )
    .option('--forward-to <url>', 'the address of your webhook receiver')
    .addHelpText('after', '\nExample:\n  haul listen --forward-to http://localhost:3000/webhooks')
    .action(listen)

const listen = async (options: Options): Promise<void> => {
  const receiverUrl = options.forwardTo === undefined ? undefined : receiverUrlOf(options.forwardTo)
  const session = await openSession(options)
  const { haul, signal, note } = session
  const secret = await secretFor(session, receiverUrl)
  if (secret !== undefined) note(`The secret that signs webhooks: ${printable(secret)}`)
  let hasConnected = false
  const onOpen = () => {
    note(hasConnected ? 'Connected again, without a gap.' : `Listening to ${session.baseUrl}. Press Ctrl-C to stop.`)
    hasConnected = true
  }
  const events = haul.events({ signal, onOpen })
  for await (const event of events) {
    const forwarded =
      receiverUrl === undefined || secret === undefined || event.type === 'job.started'
        ? undefined
        : await forward(receiverUrl, secret, event, signal)
    await printEvent(session, event, forwarded)
  }
}

/** Only a receiver needs it: a key with the scope read and without manage can still show events. */
const secretFor = async ({ haul, signal }: Session, receiverUrl: string | undefined): Promise<string | undefined> => {
  try {
    return (await haul.webhooks.secret({ signal })).secret
  } catch (error) {
    if (receiverUrl === undefined && error instanceof HaulApiError && error.code === 'SCOPE_MISSING') return undefined
    throw error
  }
}

/** `localhost:3000/hooks` is short for `http://localhost:3000/hooks`. */
const receiverUrlOf = (text: string): string => {
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`
  if (!isHttpUrl(url)) throw new UsageError(`--forward-to ${text}: expected a URL such as http://localhost:3000/hooks.`)
  return url
}

const printEvent = (
  { isJson, paint, tableColumns, note }: Session,
  event: HaulEvent,
  forwarded: ForwardResult | undefined,
): Promise<void> => {
  if (!isJson) return printLine(eventLine(event, { paint, forwarded, maxColumns: tableColumns }))
  if (forwarded && 'problem' in forwarded) note(`${event.id} was not received: ${forwarded.problem}`)
  return printLine(printableJson(event))
}
