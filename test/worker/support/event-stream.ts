/** One message of a stream of server-sent events, by the names of its fields. A comment has none. */
export interface Message {
  id?: string
  event?: string
  data?: string
  retry?: string
  comment?: string
}

const messageIn = (block: string): Message =>
  Object.fromEntries(
    block.split(/[\r\n]/).map((line) => {
      const [name = '', value = ''] = line.split(/: (.*)/s, 2)
      return [name || 'comment', value]
    }),
  )

/** A comment is complete with its line, a message with an empty one. */
const COMPLETE = /^(:[^\n]*)\n+|^(.*?)\n\n/s

/** The messages as they arrive. Ends with the stream; `return()` closes it, as a client that disconnects. */
export async function* messagesOf(response: Response): AsyncGenerator<Message, undefined> {
  let text = ''
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk
    for (let found = COMPLETE.exec(text); found; found = COMPLETE.exec(text)) {
      yield messageIn(found[1] ?? found[2] ?? '')
      text = text.slice(found[0].length)
    }
  }
}
