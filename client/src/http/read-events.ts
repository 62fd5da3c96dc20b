import { HaulConnectionError } from '../errors.ts'
import { limitedSignal } from './call.ts'
import { asHaulError, type Connection, type RequestToSend } from './connection.ts'

/** The service sends a comment every 15 seconds, so a stream that is silent for longer is dead. */
const SILENCE_MS = 45_000

export interface StreamOptions {
  signal: AbortSignal
  /** How long to wait for the first message, because a proxy may hold the stream back. Default: as long as it takes. */
  firstEventMs?: number
}

/** The messages of one response, until its stream ends. Faults of the connection are thrown. */
export async function* readEvents(
  connection: Connection,
  request: RequestToSend,
  { signal, firstEventMs }: StreamOptions,
): AsyncGenerator<Message> {
  const reason = () => new HaulConnectionError('The stream of events is silent.')
  const silence = limitedSignal({ parent: signal, limitMs: firstEventMs ?? SILENCE_MS, reason })
  const parse = eventParser()
  let reader: ReadableStreamDefaultReader<string> | undefined
  try {
    const headers = { ...request.headers, Accept: 'text/event-stream' }
    const response = await connection.fetchOnce({ ...request, headers }, silence.signal)
    if (!response.body || !/^text\/event-stream/i.test(response.headers.get('content-type') ?? '')) {
      throw new HaulConnectionError('The response is not a stream of events.')
    }
    reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    let isWaiting = firstEventMs !== undefined
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const messages = parse(value)
      isWaiting &&= messages.length === 0
      // The reader of the messages takes as long as it needs.
      silence.stop()
      yield* messages
      silence.restart(isWaiting ? firstEventMs : SILENCE_MS)
    }
  } catch (cause) {
    throw asHaulError(cause, silence.signal)
  } finally {
    silence.release()
    await reader?.cancel().catch(() => {})
  }
}

/** A message of server-sent events. One with an id only says where a later stream continues. */
export interface Message {
  id?: string
  data?: string
}

/** Takes the text as it arrives, and returns the messages that are complete. Lines end with LF or CRLF. */
export const eventParser = () => {
  // A transcript is one line of many chunks, so they are joined once.
  let line: string[] = []
  let message: Message = {}
  const read = (text: string): Message | null => {
    if (text === '') {
      const complete = message
      message = {}
      return Object.keys(complete).length > 0 ? complete : null
    }
    const [, name, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(text) ?? []
    if (name === 'id') message.id = value
    if (name === 'data') message.data = message.data === undefined ? value : `${message.data}\n${value}`
    return null
  }
  return (chunk: string): Message[] => {
    const [first = '', ...others] = chunk.split('\n')
    line.push(first)
    return others.flatMap((next) => {
      const text = line.join('').replace(/\r$/, '')
      line = [next]
      return read(text) ?? []
    })
  }
}
