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

/** What the lines read of the data of all kinds of events. */
interface EventData {
  jobId?: string
  batchId?: string
  title?: string | null
  url?: string | null
  code?: string
  result?: { title?: string | null }
}

const TYPE_COLUMNS = 'transcription.completed'.length

export interface EventLineOptions {
  paint: (color: Color, text: string) => string
  forwarded?: ForwardResult | undefined
  maxColumns?: number | undefined
}

/** `14:05:09  import.completed  imp_…  A talk  -> 200` */
export const eventLine = (
  event: HaulEvent,
  { paint, forwarded, maxColumns = Number.POSITIVE_INFINITY }: EventLineOptions,
): string => {
  const data = event.data as EventData
  const type = printable(event.type)
  const head = `${timeOf(event.timestamp)}  ${paint(colorOf(type), type.padEnd(TYPE_COLUMNS))}`
  const tail = forwarded ? `  -> ${resultText(forwarded, paint)}` : ''
  const facts = [data.jobId ?? data.batchId, data.code, data.result?.title ?? data.title ?? data.url]
  const room =
    maxColumns - 10 - TYPE_COLUMNS - (forwarded ? 5 + resultText(forwarded, (_, text) => text).length : 0) - 2
  const shown = facts.flatMap((fact) => (fact ? [printable(String(fact))] : [])).join('  ')
  return `${head}  ${cutToColumns(shown, room)}${tail}`
}

const resultText = (result: ForwardResult, paint: EventLineOptions['paint']): string => {
  if ('problem' in result) return paint('red', printable(result.problem))
  return paint(result.status >= 200 && result.status < 300 ? 'green' : 'red', String(result.status))
}

const colorOf = (type: string): Color => {
  if (type.endsWith('.completed')) return 'green'
  return type.endsWith('.failed') ? 'red' : 'dim'
}

const timeOf = (iso: string): string => new Date(iso).toTimeString().slice(0, 8)

/** The service waits for the receiver of a webhook for the same time. */
const TIMEOUT_MS = 15_000

/** The status of the response, or why there was none. */
type ForwardResult = { status: number } | { problem: string }

/** POSTs an event to a local receiver as its webhook would come. Redirects are not followed, as the service does. */
const forward = async (
  receiverUrl: string,
  secret: string,
  { id, ...event }: HaulEvent,
  signal: AbortSignal,
): Promise<ForwardResult> => {
  const body = JSON.stringify({ type: event.type, timestamp: event.timestamp, data: event.data })
  const timestampSeconds = Math.floor(Date.now() / 1_000)
  const timeout = AbortSignal.timeout(TIMEOUT_MS)
  try {
    const response = await fetch(receiverUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...signedHeaders(secret, { id, timestampSeconds, body }) },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, timeout]),
    })
    await response.body?.cancel()
    return { status: response.status }
  } catch (error) {
    signal.throwIfAborted()
    if (timeout.aborted) return { problem: `no response within ${TIMEOUT_MS / 1_000} s` }
    return { problem: reasonOf(error) }
  }
}

const reasonOf = (error: unknown): string => {
  const { cause } = error as Error
  const { code } = (cause ?? {}) as NodeJS.ErrnoException
  return code === 'ECONNREFUSED' ? 'connection refused' : (code ?? String(cause ?? error))
}

/** Headers of a webhook as Standard Webhooks 1.0 has them. */
const signedHeaders = (
  secret: string,
  { id, timestampSeconds, body }: { id: string; timestampSeconds: number; body: string },
): Record<string, string> => {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${timestampSeconds}.${body}`).digest('base64')
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': `v1,${signature}`,
  }
}
