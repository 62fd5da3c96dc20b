import { makeFixtures } from '../doubles/origin/fixtures.ts'

/** Vitest's global setup: generates the test media before the first test. */
export default async function setup() {
  await makeFixtures()
}
