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
    block.split('\n').map((line) => {
      const [name = '', value = ''] = line.split(/: (.*)/s, 2)
      return [name || 'comment', value]
    }),
  )

/** The messages as they arrive. Ends with the stream; `return()` closes it, as a client that disconnects. */
export async function* messagesOf(response: Response): AsyncGenerator<Message, undefined> {
  let text = ''
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      yield messageIn(text.slice(0, end))
      text = text.slice(end + 2)
    }
  }
}
