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
