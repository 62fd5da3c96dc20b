import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { capture } from './capture.ts'

/** The version that is released: that of the npm package. The others are compared with it. */
export const releasedVersion = async (root: string): Promise<string> =>
  JSON.parse(await readFile(join(root, 'client/package.json'), 'utf8')).version

/** One sentence for each reason not to publish this checkout. */
export const problemsOfCheckout = async (root: string, version: string): Promise<string[]> => {
  const [api, changelog, changes] = await Promise.all([
    readFile(join(root, 'worker/http/documentation/openapi.ts'), 'utf8'),
    readFile(join(root, 'CHANGELOG.md'), 'utf8'),
    capture('git', ['status', '--porcelain'], root),
  ])
  const ofApi = /VERSION = '([^']*)'/.exec(api)?.[1]
  return [
    !/^\d+\.\d+\.\d+$/.test(version) && `The version ${version} is not three numbers, as npm and PyPI both want it.`,
    ofApi !== version &&
      `client/package.json has version ${version}, and worker/http/documentation/openapi.ts has ${ofApi}.`,
    !changelog.split('\n').includes(`## ${version}`) && `CHANGELOG.md has no heading for version ${version}.`,
    /^## Not released yet$/m.test(changelog) &&
      'CHANGELOG.md has changes under "Not released yet": which version has them?',
    changes !== '' && `These files are not committed:\n${changes}`,
  ].filter((problem) => problem !== false)
}
