import { expect, onTestFinished, vi } from 'vitest'

/** The test expects such a line in the log. It is not printed, and without it the test fails. */
export const expectLogged = (level: 'warn' | 'error', line: RegExp): void => {
  const log = vi.spyOn(console, level).mockReturnValue()
  onTestFinished(() => {
    const lines = log.mock.calls.map((values) => values.join(' '))
    log.mockRestore()
    expect(lines).toContainEqual(expect.stringMatching(line))
  })
}
