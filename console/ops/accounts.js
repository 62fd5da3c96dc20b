import { announce, confirmed, find, make, showError } from '../assets/dom.js'
import { dollars, size } from '../assets/format.js'
import { count, makeData, makeRow, makeTime, showRows, small } from './table.js'

/** @typedef {import('./types.js').ListedAccount} ListedAccount */
/** @typedef {import('./types.js').OperatorAccount} OperatorAccount */

const PAGE_SIZE = 10

const table = find('#accounts', HTMLTableElement)
const problem = find('#accounts-problem', HTMLElement)
const search = find('#account-search', HTMLFormElement)
const nameField = find('#account-name', HTMLInputElement)
const newer = find('#newer-accounts', HTMLButtonElement)
const older = find('#older-accounts', HTMLButtonElement)

/** @param {OperatorAccount['limits']} limits */
const limitTexts = ({ requestsPerHour: hourly, concurrentJobs: jobs, freeWork, uploadBytes }) => [
  `Imports ${count(hourly.import)}/h, ${jobs.import} at once`,
  `Transcriptions ${count(hourly.transcribe)}/h, ${jobs.transcription} at once`,
  `Status ${count(hourly.status)}/h, other ${count(hourly.general)}/h`,
  `Free work ${count(freeWork.engineSecondsPerHour)} s/h, ${size(freeWork.bytesPerHour)}/h`,
  `Uploads ${size(uploadBytes)}`,
]

/** @param {string[]} texts */
const lines = (texts) => texts.map((text) => make('span', { className: 'line' }, text))

/**
 * The list of accounts. An account's balance and limits are read from its own object, so these requests are not part
 * of the rounds.
 * @param {import('../assets/api.js').Client} api
 * @param {AbortSignal} signal
 */
export const openAccounts = (api, signal) => {
  /** The cursors of the page that is shown and of those before it. @type {(string | null)[]} */
  const cursors = [null]
  /** @type {string | null} */
  let nextCursor = null
  let name = ''
  let reading = new AbortController()

  /** @param {() => Promise<unknown>} work */
  const during = async (work) => {
    showError(problem)
    await work().catch((error) => {
      if (error.name !== 'AbortError') showError(problem, error)
    })
  }

  /** @param {ListedAccount | OperatorAccount} account @returns {HTMLTableRowElement} */
  const accountRow = (account) => {
    const action = account.suspended ? 'Unsuspend' : 'Suspend'
    const button = make(
      'button',
      { type: 'button', className: 'quiet', ariaLabel: `${action}: ${account.name}` },
      action,
    )
    button.addEventListener('click', () => during(() => toggle(account, row)))
    const state = make('span', { className: 'state' }, account.suspended ? 'suspended' : 'active')
    state.dataset.state = state.textContent ?? ''
    const details =
      'limits' in account
        ? [
            [makeData(account.balanceDollars, dollars(account.balanceDollars))],
            [makeData(account.heldDollars, dollars(account.heldDollars))],
            [makeData(account.liveJobs, count(account.liveJobs))],
            [makeTime(account.lastUsedAt)],
            lines(limitTexts(account.limits)),
          ]
        : // As high as the row will be.
          [['…'], ['…'], ['…'], ['…'], lines(['…', '…', '…'])]
    const row = makeRow(table, [[account.name, small(account.accountId)], [state], ...details, [button]])
    row.dataset.account = account.accountId
    return row
  }

  /** @param {OperatorAccount | ListedAccount} account @param {HTMLTableRowElement} row */
  const toggle = async ({ accountId, name: title, suspended }, row) => {
    const question = suspended
      ? { title: `Unsuspend “${title}”?`, text: 'Its keys can start jobs again.', yes: 'Unsuspend' }
      : {
          title: `Suspend “${title}”?`,
          text: 'New jobs, uploads and batches are refused with ACCOUNT_SUSPENDED. Running jobs go on, and reads too.',
          yes: 'Suspend',
        }
    if (!(await confirmed(question))) return
    const path = `/admin/accounts/${encodeURIComponent(accountId)}`
    const changed = accountRow(await api.patch(path, { suspended: !suspended }))
    row.replaceWith(changed)
    find('button', HTMLButtonElement, changed).focus()
    announce(`${title} is ${suspended ? 'active' : 'suspended'}.`)
  }

  const read = async () => {
    reading.abort()
    reading = new AbortController()
    const current = AbortSignal.any([signal, reading.signal])
    const query = new URLSearchParams({ limit: `${PAGE_SIZE}` })
    const cursor = cursors.at(-1)
    if (name) query.set('name', name)
    if (cursor) query.set('cursor', cursor)
    /** @type {{accounts: ListedAccount[], nextCursor: string | null}} */
    const page = await api.get(`/admin/accounts?${query}`, current)
    nextCursor = page.nextCursor
    newer.disabled = cursors.length === 1
    older.disabled = nextCursor === null
    // Known accounts keep their numbers until the new ones are here, so that nothing moves.
    const known = new Map(
      [...table.querySelectorAll('tr[data-account]')].map((row) => [row.getAttribute('data-account'), row]),
    )
    const rows = page.accounts.map((account) => {
      const row = known.get(account.accountId)
      return row instanceof HTMLTableRowElement ? row : accountRow(account)
    })
    showRows(table, rows)
    await Promise.all(
      page.accounts.map(async ({ accountId }, index) => {
        const account = await api.get(`/admin/accounts/${encodeURIComponent(accountId)}`, current)
        const row = rows[index]
        const hadFocus = row?.contains(document.activeElement)
        const fresh = accountRow(account)
        row?.replaceWith(fresh)
        if (hadFocus) find('button', HTMLButtonElement, fresh).focus()
      }),
    )
  }

  search.addEventListener('submit', (event) => {
    event.preventDefault()
    name = nameField.value.trim()
    cursors.splice(1)
    during(read)
  })
  older.addEventListener('click', () => {
    cursors.push(nextCursor)
    during(read)
  })
  newer.addEventListener('click', () => {
    cursors.pop()
    during(read)
  })
  return { read: () => during(read) }
}
