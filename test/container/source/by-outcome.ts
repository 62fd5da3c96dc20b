/** Turns a table of cases by expected outcome, `{ outcome: { 'description': input } }`, into rows for `test.each`. */
export const byOutcome = <Outcome extends string>(
  table: Partial<Record<Outcome, Record<string, string>>>,
): [description: string, outcome: Outcome, input: string][] =>
  (Object.entries(table) as [Outcome, Record<string, string>][]).flatMap(([outcome, cases]) =>
    Object.entries(cases).map(([description, input]): [string, Outcome, string] => [description, outcome, input]),
  )
