import { expect, test } from 'vitest'
import { sitesIndex, sitesPage, sitesText } from '../../../../../worker/http/documentation/sites.ts'

const newestList = 'https://github.com/yt-dlp/yt-dlp/blob/master/supportedsites.md'

test('while no engine has said its sites, the page says so and links to the list of yt-dlp itself', async () => {
  const page = `${await sitesPage(null)}`
  expect(page).toContain(`<a href="${newestList}">`)
  expect(page).not.toContain('id="filter"')
  expect(sitesText(null)).toContain(`](${newestList})`)
  expect(JSON.parse(sitesIndex(null))).toEqual({ version: null, working: [], broken: [] })
})

test('names are escaped', async () => {
  const sites = { version: '<1>', working: ['<b>&"'], broken: [] }
  expect(`${await sitesPage(sites)}`).toContain('<li>&lt;b&gt;&amp;&quot;</li>')
  expect(`${await sitesPage(sites)}`).not.toContain('<1>')
})

test('working and broken sites are in one order, with their numbers', async () => {
  const page = `${await sitesPage({ version: '2026.10.26', working: ['a', 'c10', 'c9'], broken: ['b'] })}`
  const names = [...page.matchAll(/<li>([^<]+?)(?: <small>broken<\/small>)?<\/li>/g)].map(([, name]) => name)
  expect(names).toEqual(['a', 'b', 'c9', 'c10'])
  expect(page).toContain('for 4 sites and parts of sites')
  expect(page).toContain('marks 1 of them as broken')
})
