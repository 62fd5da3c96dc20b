import { expect } from 'vitest'

/** Something that comes by itself, however busy the machine is: the test's own time is the only bound. */
export const eventually = <T>(look: () => T) => expect.poll(look, { timeout: 240_000, interval: 20 })
