import { may } from './account/permissions.js'
import { find, showError } from './dom.js'
import { modelText } from './format.js'
import { addStartFields } from './jobs/start-fields.js'
import { startForm } from './start-form.js'
import { AUTO_MAX_DOLLARS, startRequest } from './start-request.js'

/** @import { Model } from '../types.js' */
/** @import { StartRequest } from './start-request.js' */

const form = find('#job-form', HTMLFormElement)
addStartFields(form, startForm)
const url = find('#url', HTMLInputElement)
const urls = find('#urls', HTMLTextAreaElement)
const file = find('#file', HTMLInputElement)
const drop = find('#drop', HTMLElement)
const fromImport = find('#from-import', HTMLElement)
const maxCost = find('[name="maxCostDollars"]', HTMLInputElement, form)
const problem = find('#job-form-problem', HTMLElement)
const buttons = form.querySelectorAll('button')

/** The import whose file is used instead of the URL, until the URL is changed. @type {string | null} */
let importId = null

/** Where nothing costs anything, there is no ceiling to choose. */
let isFree = false

/** @param {boolean} isHidden */
export const hideMoney = (isHidden) => {
  isFree = isHidden
  showFields()
}

/** @param {string} what An output */
const mayStart = (what) => may(what === 'transcript' ? 'transcribe' : 'import')

/** A file is a source of transcriptions only, and only a watch tells. @param {string} what @param {string} from */
const isPossible = (what, from) =>
  mayStart(what) && (from !== 'file' || what === 'transcript') && (what !== 'tell' || from === 'watch')

/** With a comma between the values of several checkboxes. @param {string} name */
const chosen = (name) => `${new FormData(form).getAll(name)}`.trim()

/** A field that is not shown has no value. @param {string} name */
const fieldValue = (name) => {
  const isHidden = form.querySelector(`[name="${name}"]`)?.closest('.field[hidden]')
  return isHidden ? '' : chosen(name)
}

/** @type {Record<string, string>} */
const urlLabels = { list: 'Playlist, channel or feed URL', watch: 'Channel, playlist or feed URL' }

/** Shows only the fields that belong to the chosen source, output and way to a transcript. */
const showFields = () => {
  const from = chosen('from')
  if (!isPossible(chosen('what'), from))
    fillIn({ what: ['video', 'transcript'].find((what) => isPossible(what, from)) ?? 'video' }, false)
  for (const choice of form.querySelectorAll('input[name="what"]')) {
    if (!(choice instanceof HTMLInputElement)) continue
    choice.disabled = !isPossible(choice.value, from)
  }
  for (const name of ['transcript', 'captions'])
    find(`[name="${name}"]`, HTMLInputElement, form).disabled = !may('transcribe')
  const [what, way] = [chosen('what'), chosen('way')]
  const mayHaveWords = what === 'video' || what === 'audio'
  const made = mayHaveWords && chosen('transcript') ? `${what} transcript` : what
  for (const part of form.querySelectorAll('.field, .source, .also, .choice > label, .source > .note')) {
    if (!(part instanceof HTMLElement)) continue
    const { for: fors = made, way: ways = way, from: froms = from, needs } = part.dataset
    const isFor = (/** @type {string} */ list, /** @type {string} */ values) =>
      values.split(' ').some((value) => list.split(' ').includes(value))
    const isChosen =
      isFor(fors, made) && isFor(ways, way) && isFor(froms, from) && (!needs || needs.split(' ').some(fieldValue))
    part.hidden = !isChosen || (isFree && 'money' in part.dataset) || isOneChoice(part)
  }
  find('#url-label', HTMLElement).textContent = urlLabels[from] ?? 'Media URL'
  find('#preview', HTMLButtonElement).hidden = from === 'urls' || from === 'file'
  maxCost.placeholder = what === 'transcript' && way === 'auto' ? AUTO_MAX_DOLLARS : 'no limit'
  fromImport.hidden = importId === null || from !== 'url' || what !== 'transcript'
}

/** There is nothing to choose. @param {HTMLElement} part */
const isOneChoice = (part) => part.querySelector('select')?.options.length === 1

/** Lets a person choose a model. @param {readonly Model[]} models */
export const offerModels = (models) => {
  const select = find('[name="model"]', HTMLSelectElement, form)
  const usual = models.find(({ isDefault }) => isDefault)
  const others = models.filter((model) => model !== usual)
  select.replaceChildren(
    new Option(usual ? `Default, ${modelText(usual)}` : 'Default', ''),
    ...others.map((model) => new Option(modelText(model), model.name)),
  )
  showFields()
}

/** Checks the source before the API is called. @returns {boolean} */
const isFilled = () => {
  const from = chosen('from')
  const field = from === 'urls' ? urls : from === 'file' ? file : url
  const addresses = from === 'urls' ? urls.value.split('\n').map((line) => line.trim()) : [url.value.trim()]
  const wrong = addresses.find((address) => address !== '' && !isAddress(address))
  const isFine = from === 'file' ? file.files?.length === 1 : wrong === undefined && addresses.some(Boolean)
  field.setAttribute('aria-invalid', `${!isFine}`)
  if (isFine) return true
  const message =
    from === 'file'
      ? 'Choose a file.'
      : `${wrong && from === 'urls' ? `${wrong}: ` : ''}Enter a web address that begins with https:// or http://.`
  showError(problem, { message })
  field.focus()
  return false
}

/** @param {string} text */
const isAddress = (text) => /^https?:$/.test(URL.parse(text)?.protocol ?? '')

/**
 * @typedef {object} FormHandlers
 * @property {(request: StartRequest) => Promise<void>} onStart
 * @property {(url: string) => Promise<void>} onPreview
 * @property {(file: File) => Promise<string>} onUpload Resolves to the id of the upload.
 */

/** The form that starts jobs, batches and watches. @param {FormHandlers} handlers */
export const openForm = ({ onStart, onPreview, onUpload }) => {
  /** @param {() => Promise<void>} work */
  const during = async (work) => {
    showError(problem)
    if (!isFilled()) return
    for (const button of buttons) button.disabled = true
    try {
      await work()
    } catch (error) {
      showError(problem, error)
    } finally {
      for (const button of buttons) button.disabled = false
    }
  }
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    during(async () => {
      const [chosenFile] = chosen('from') === 'file' ? (file.files ?? []) : []
      const uploadId = chosenFile ? await onUpload(chosenFile) : null
      await onStart(startRequest(startForm, fieldValue, { importId, uploadId }))
    })
  })
  find('#preview', HTMLButtonElement).addEventListener('click', () => during(() => onPreview(url.value.trim())))
  form.addEventListener('change', showFields)
  url.addEventListener('input', () => {
    url.removeAttribute('aria-invalid')
    importId = null
    showFields()
  })
  file.addEventListener('change', showFileName)
  acceptDrops()
  find('input[value="file"]', HTMLInputElement, form).disabled = !may('transcribe')
  form.hidden = !may('import', 'transcribe')
  showFields()
}

const showFileName = () => {
  const [chosenFile] = file.files ?? []
  if (chosenFile) find('#file-name', HTMLElement).textContent = chosenFile.name
  file.removeAttribute('aria-invalid')
}

/** A file may be dropped anywhere on the page. The browser would otherwise leave the page and open it. */
const acceptDrops = () => {
  const hasFile = (/** @type {DragEvent} */ event) => event.dataTransfer?.types.includes('Files') ?? false
  document.addEventListener('dragover', (event) => {
    if (!hasFile(event)) return
    event.preventDefault()
    if (!may('transcribe')) return
    fillIn({ from: 'file' })
    drop.dataset.over = ''
  })
  document.addEventListener('dragleave', (event) => {
    if (event.relatedTarget === null) delete drop.dataset.over
  })
  document.addEventListener('drop', (event) => {
    if (!hasFile(event)) return
    event.preventDefault()
    if (!may('transcribe')) return
    delete drop.dataset.over
    file.files = event.dataTransfer?.files ?? null
    showFileName()
  })
}

/** Fills the form in. @param {Record<string, string>} values @param {boolean} [shows] */
export const fillIn = (values, shows = true) => {
  for (const [name, value] of Object.entries(values)) {
    const field = form.elements.namedItem(name)
    if (field instanceof RadioNodeList || field instanceof HTMLInputElement || field instanceof HTMLSelectElement)
      field.value = value
  }
  if (shows) showFields()
}

/** Makes the file of an import the source, with its URL shown. @param {string | null} jobId */
export const useImport = (jobId) => {
  importId = jobId
  showFields()
}

/** Clears the source and the key, and keeps the other choices for the next job. */
export const clearForm = () => {
  url.value = ''
  urls.value = ''
  file.value = ''
  find('#file-name', HTMLElement).textContent = 'Drop another file here, or choose one.'
  const apiKey = form.elements.namedItem('apiKey')
  if (apiKey instanceof HTMLInputElement) apiKey.value = ''
  useImport(null)
}

/** @param {string} selector */
export const focusOn = (selector) => find(selector, HTMLElement, form).focus()
