import { createWriteStream } from 'node:fs'

/** A child's own words, from its latest start on, and the last of them at hand for an error. */
export interface LogFile {
  write(line: string): void
  tail(): string
  close(): void
}

const KEPT_LINES = 20

export const openLog = (path: string): LogFile => {
  const stream = createWriteStream(path, { flags: 'w', mode: 0o600 })
  const last: string[] = []
  return {
    write: (line) => {
      stream.write(`${line}\n`)
      last.push(line)
      if (last.length > KEPT_LINES) last.shift()
    },
    tail: () => last.join('\n'),
    close: () => stream.end(),
  }
}
