/**
 * How many random cases a test tries: this number, ten times as many in `npm run test:long` (HAUL_TEST_LONG=1), or what
 * FUZZ_RUNS says. Tests that give no number try a hundred.
 */
export const runs = (cases: number): { numRuns: number } => {
  const { FUZZ_RUNS, HAUL_TEST_LONG } = process.env
  return { numRuns: Number(FUZZ_RUNS) || (HAUL_TEST_LONG ? 10 * cases : cases) }
}
