import { announce, confirmed, during, find, make, makeButton } from '../assets/dom.js'
import { dollars, size } from '../assets/format.js'
import { count, createTable, makeData, makeState, makeTime, small } from './tables.js'

/** @import { Api } from '../assets/account/api.js' */
/** @import { ListedAccount, OperatorAccount } from '../types.js' */

const PAGE_SIZE = 10

const problem = find('#accounts-problem', HTMLElement)
const newer = find('#newer-accounts', HTMLButtonElement)
const older = find('#older-accounts', HTMLButtonElement)

/** @param {OperatorAccount['limits']} limits */
const limitLines = ({ requestsPerHour: hourly, concurrentJobs: jobs, freeWork, uploadBytes }) =>
  [
    `Imports ${count(hourly.import)}/h, ${jobs.import} at once`,
    `Transcriptions ${count(hourly.transcribe)}/h, ${jobs.transcription} at once`,
    `Status ${count(hourly.status)}/h, other ${count(hourly.general)}/h`,
    `Free work ${count(freeWork.engineSecondsPerHour)} s/h, ${size(freeWork.bytesPerHour)}/h`,
    `Uploads ${size(uploadBytes)}`,
  ].map((text) => make('span', { className: 'line' }, text))

/**
 * The list of accounts. An account's balance and limits are read from its own object, so these requests are not part
 * of the rounds. Returns what reads the page of the list again.
 * @param {Api} api
 * @param {AbortSignal} signal
 */
export const openAccounts = (api, signal) => {
  /** The cursors of the page that is shown and of those before it. @type {(string | undefined)[]} */
  const cursors = [undefined]
  /** @type {string | null} */
  let nextCursor = null
  let name = ''
  /** @type {OperatorAccount[]} */
  let accounts = []
  let reading = new AbortController()

  /** @type {(rows: OperatorAccount[]) => void} */
  const show = createTable(
    '#accounts',
    [
      ['Account', (account) => [account.name, small(account.accountId)]],
      ['State', ({ suspended }) => [makeState(suspended ? 'suspended' : 'active')]],
      ['Balance', ({ balanceDollars }) => [makeData(balanceDollars, dollars)]],
      ['Held', ({ heldDollars }) => [makeData(heldDollars, dollars)]],
      ['Live jobs', ({ liveJobs }) => [makeData(liveJobs)]],
      ['Last used', ({ lastUsedAt }) => [makeTime(lastUsedAt)]],
      ['Limits', ({ limits }) => limitLines(limits)],
      ['Action', (account) => [toggleButton(account)], 'unseen'],
    ],
    { finish: (row, { accountId }) => row.setAttribute('data-account', accountId) },
  )

  /** @param {OperatorAccount} account */
  const toggleButton = (account) => {
    const action = account.suspended ? 'Unsuspend' : 'Suspend'
    const label = { className: 'quiet', ariaLabel: `${action}: ${account.name}` }
    return makeButton(action, () => during(problem, () => toggle(account)), label)
  }

  /** @param {OperatorAccount} account */
  const toggle = async ({ accountId, name: title, suspended }) => {
    const question = suspended
      ? { title: `Unsuspend “${title}”?`, text: 'Its keys can start jobs again.', yes: 'Unsuspend' }
      : {
          title: `Suspend “${title}”?`,
          text: 'New jobs, uploads and batches are refused with ACCOUNT_SUSPENDED. Running jobs go on, and reads too.',
          yes: 'Suspend',
        }
    if (!(await confirmed(question))) return
    /** @type {OperatorAccount} */
    const changed = await api.request('PATCH', pathOf(accountId), { body: { suspended: !suspended } })
    accounts = accounts.map((account) => (account.accountId === accountId ? changed : account))
    show(accounts)
    find(`[data-account="${accountId}"] button`, HTMLButtonElement).focus()
    announce(`${title} is ${suspended ? 'active' : 'suspended'}.`)
  }

  const read = async () => {
    reading.abort()
    reading = new AbortController()
    const current = AbortSignal.any([signal, reading.signal])
    const query = { limit: PAGE_SIZE, name: name || undefined, cursor: cursors.at(-1) }
    /** @type {{accounts: ListedAccount[], nextCursor: string | null}} */
    const page = await api.request('GET', '/admin/accounts', { query, signal: current })
    nextCursor = page.nextCursor
    newer.disabled = cursors.length === 1
    older.disabled = nextCursor === null
    /** @type {PromiseSettledResult<OperatorAccount>[]} */
    const found = await Promise.allSettled(
      page.accounts.map(({ accountId }) => api.request('GET', pathOf(accountId), { signal: current })),
    )
    current.throwIfAborted()
    accounts = found.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
    show(accounts)
    // An account that cannot be read does not hide the others.
    const failed = found.find((each) => each.status === 'rejected')
    if (failed) throw failed.reason
  }

  find('#account-search', HTMLFormElement).addEventListener('submit', (event) => {
    event.preventDefault()
    name = find('#account-name', HTMLInputElement).value.trim()
    cursors.splice(1)
    during(problem, read)
  })
  older.addEventListener('click', () => {
    if (nextCursor !== null) cursors.push(nextCursor)
    during(problem, read)
  })
  newer.addEventListener('click', () => {
    cursors.pop()
    during(problem, read)
  })
  return () => during(problem, read)
}

/** @param {string} accountId */
const pathOf = (accountId) => `/admin/accounts/${encodeURIComponent(accountId)}`
