import { makeFixtures } from './fixtures.ts'

/** Vitest's global setup: the test media exists before the first test asks for it. */
export default async function setup() {
  await makeFixtures()
}
