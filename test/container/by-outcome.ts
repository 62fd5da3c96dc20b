/** A table of cases under what comes of them: `{ outcome: { 'what it is': case } }`, as rows for `test.each`. */
export const byOutcome = <Outcome extends string>(
  table: Partial<Record<Outcome, Record<string, string>>>,
): [what: string, outcome: Outcome, given: string][] =>
  (Object.entries(table) as [Outcome, Record<string, string>][]).flatMap(([outcome, cases]) =>
    Object.entries(cases).map(([what, given]): [string, Outcome, string] => [what, outcome, given]),
  )
