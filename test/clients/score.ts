import { allClients } from './clients.ts'

/** The part of Vitest's JSON report that we read. */
export interface Report {
  testResults: { assertionResults: { title: string; status: string }[] }[]
}

/**
 * The lines that end the output of `npm run test:clients`. A client works when all of its tests have passed. `missing` says why
 * clients could not be installed, by the file that pins them.
 */
export const scoreOf = ({ testResults }: Report, missing: Record<string, string>): string[] => {
  const results = testResults.flatMap(({ assertionResults }) => assertionResults)
  const tried = allClients.filter(({ from }) => !(from in missing))
  const works = (name: string): boolean => {
    const own = results.filter(({ title }) => title.startsWith(`${name} `))
    return own.length > 0 && own.every(({ status }) => status === 'passed')
  }
  const failed = tried.filter(({ name }) => !works(name))
  const notTried = allClients.filter(({ from }) => from in missing)
  return [
    ...notTried.map(({ name, from }) => `NOT TESTED: ${name}, because it cannot be installed (${missing[from]})`),
    ...failed.map(({ name }) => `FAILED: ${name}`),
    `${tried.length - failed.length} of ${allClients.length} clients work unmodified`,
  ]
}
