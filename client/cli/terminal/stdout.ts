import { printableJson, printableLines } from './printable.ts'

/** Resolves when the text or the bytes are written, so that a slow reader slows the writer. */
export const writeOut = (data: string | Uint8Array): Promise<void> =>
  new Promise((resolve, reject) => {
    process.stdout.write(data, (error) => (error ? reject(error) : resolve()))
  })

export const printLine = (line: string): Promise<void> => writeOut(`${line}\n`)

export const printJson = (value: unknown): Promise<void> => printLine(printableJson(value, 2))

/** Text from a source. A pipe gets it as it is. */
export const printText = (text: string): Promise<void> => writeOut(process.stdout.isTTY ? printableLines(text) : text)

/** The reader of a pipe may stop before the end, as `head` does. That is no error. */
export const endQuietlyWithoutReader = (): void => {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit()
    throw error
  })
  // Messages that nobody can read are not worth a crash.
  process.stderr.on('error', () => {})
}
