// In the browser, on the page at /docs: fills in the curl line of each call, sends it, and shows the answer.
// What is typed stays in the fields.
const { base } = document.querySelector('main').dataset
const field = (id) => document.getElementById(id).value.trim()
const quote = (text) => `'${text.replaceAll("'", `'\\''`)}'`

let sent = 0
const tried = Math.random().toString(36).slice(2, 8)

function requestOf({ method, path, auth, body }) {
  const headers = { authorization: `Bearer ${field(auth)}` }
  if (body) headers['content-type'] = 'application/json'
  return {
    url: base + path.replace('{user}', encodeURIComponent(field('user'))),
    init: { method, headers, ...(body && { body: body.replace('{operation}', `try-${tried}-${sent}`) }) },
  }
}

function curlOf({ url, init: { method, headers, body } }) {
  const lines = [`curl ${method === 'GET' ? '' : `-X ${method} `}${quote(url)}`]
  for (const [name, value] of Object.entries(headers)) lines.push(`-H ${quote(`${name}: ${value}`)}`)
  if (body) lines.push(`-d ${quote(body)}`)
  return lines.join(' \\\n  ')
}

function element(name, text, attributes = {}) {
  return Object.assign(document.createElement(name), { textContent: text, ...attributes })
}

async function send({ url, init }) {
  try {
    // Same origin by another name (localhost, 127.0.0.1) would be another origin: the path is enough.
    const response = await fetch(new URL(url).pathname, { ...init, credentials: 'omit' })
    const text = await response.text()
    const json = /json/.test(response.headers.get('content-type') ?? '') ? JSON.parse(text) : null
    const shown = [
      element('p', `${response.status} ${response.statusText}`),
      element('pre', json ? JSON.stringify(json, null, 2) : text),
    ]
    const checkout = json?.checkout_url
    if (typeof checkout === 'string' && /^https?:/.test(checkout))
      shown.push(element('a', 'Open the payment page', { href: checkout, target: '_blank', rel: 'noopener' }))
    return shown
  } catch (error) {
    return [element('p', `No answer: ${error.message}`)]
  }
}

for (const trial of document.querySelectorAll('article')) {
  const curl = trial.querySelector('.curl')
  const show = () => {
    curl.textContent = curlOf(requestOf(trial.dataset))
  }
  for (const input of document.querySelectorAll('.fields input')) input.addEventListener('input', show)
  show()
  trial.querySelector('button').addEventListener('click', async () => {
    sent++
    show()
    trial.querySelector('.answer').replaceChildren(...(await send(requestOf(trial.dataset))))
  })
}

// Of swagger-ui-bundle.js, the script before this one.
SwaggerUIBundle({
  url: new URL(document.getElementById('document').dataset.url).pathname,
  dom_id: '#document',
  deepLinking: true,
})
