import { createHmac } from 'node:crypto'
import type { Command } from 'commander'
import { HaulApiError, type HaulEvent } from '../../src/index.ts'
import { UsageError } from '../exit-codes.ts'
import { isHttpUrl } from '../options.ts'
import { type OutputOptions, openSession, type Session } from '../session.ts'
import { type Color, printable, printableJson, printLine } from '../terminal/output.ts'
import { cutToColumns } from '../terminal/table.ts'

interface Options extends OutputOptions {
  forwardTo?: string
}

export const addListen = (program: Command): Command =>
  program
    .command('listen')
    .summary('show events, and forward them as webhooks')
    .description(
      'Shows the events of all jobs, batches and watches of the account, one in a line, until Ctrl-C. With --forward-to each is also sent to a local address as its webhook would come, signed with the secret of the account, whether or not its job has a webhookUrl. job.started has no webhook and is only shown.',
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
    const answer =
      receiverUrl === undefined || secret === undefined || event.type === 'job.started'
        ? undefined
        : await forward(receiverUrl, secret, event, signal)
    await printEvent(session, event, answer)
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

/** The status of the receiver's response, or why there was none. */
type Answer = number | string

const printEvent = (session: Session, event: HaulEvent, answer: Answer | undefined): Promise<void> => {
  if (!session.isJson) return printLine(eventLine(session, event, answer))
  if (typeof answer === 'string') session.note(`${event.id} was not received: ${answer}`)
  return printLine(printableJson(event))
}

const TYPE_COLUMNS = 'transcription.completed'.length

/** `14:05:09  import.completed  imp_…  A talk  -> 200` */
const eventLine = (
  { paint, tableColumns = Number.POSITIVE_INFINITY }: Session,
  event: HaulEvent,
  answer: Answer | undefined,
): string => {
  const { jobId, batchId, watchId, code, result, title, url } = event.data as EventData
  const type = printable(event.type)
  const time = new Date(event.timestamp).toTimeString().slice(0, 8)
  const isReceived = typeof answer === 'number' && answer >= 200 && answer < 300
  const answered = answer === undefined ? '' : printable(`${answer}`)
  const tail = answered && `  -> ${paint(isReceived ? 'green' : 'red', answered)}`
  const room = tableColumns - 10 - TYPE_COLUMNS - (answered ? 5 + answered.length : 0) - 2
  const facts = [jobId ?? batchId ?? watchId, code, result?.title ?? title ?? url].flatMap((fact) =>
    fact ? printable(fact) : [],
  )
  return `${time}  ${paint(colorOf(type), type.padEnd(TYPE_COLUMNS))}  ${cutToColumns(facts.join('  '), room)}${tail}`
}

/** The fields that a line shows. No kind of event has all of them. */
interface EventData {
  jobId?: string
  batchId?: string
  watchId?: string | null
  title?: string | null
  url?: string | null
  code?: string | null
  result?: { title?: string | null }
}

const colorOf = (type: string): Color => {
  if (type.endsWith('.completed')) return 'green'
  return /\.(failed|failing)$/.test(type) ? 'red' : 'dim'
}

/** As long as the service waits for the receiver of a webhook. */
const TIMEOUT_MS = 15_000

/** POSTs an event to a local receiver as the service would send its webhook: signed, and without following redirects. */
const forward = async (
  receiverUrl: string,
  secret: string,
  { id, type, timestamp, data }: HaulEvent,
  signal: AbortSignal,
): Promise<Answer> => {
  const body = JSON.stringify({ type, timestamp, data })
  const seconds = String(Math.floor(Date.now() / 1_000))
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')
  // Standard Webhooks 1.0.
  const signed = { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': `v1,${signature}` }
  const timeout = AbortSignal.timeout(TIMEOUT_MS)
  try {
    const response = await fetch(receiverUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...signed },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, timeout]),
    })
    await response.body?.cancel()
    return response.status
  } catch (error) {
    signal.throwIfAborted()
    return timeout.aborted ? `no response within ${TIMEOUT_MS / 1_000} s` : reasonOf(error)
  }
}

const reasonOf = (error: unknown): string => {
  const { cause } = error as Error
  const { code } = (cause ?? {}) as NodeJS.ErrnoException
  return code === 'ECONNREFUSED' ? 'connection refused' : (code ?? String(cause ?? error))
}
