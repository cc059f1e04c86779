// The files of the router before the cells: HAProxy 2.6, as Debian 12 has it. It reads from each request
// whose it is, and asks the cell that has their part.
import { FORWARDED } from '../http/elsewhere.js'
import { type Cell, markOf, PARTS } from '../runtime/cells.js'

interface Router {
  /** What follows `bind`, such as `:443 ssl crt /etc/haproxy/billing.pem`. */
  readonly bind: string
  /** Proxies before it, whose `X-Forwarded-For` is passed on. */
  readonly trusted: readonly string[]
  /** Of the running router, by which a reload takes over its listeners. */
  readonly socket: string
  /** The name of the cookie that holds a session of the portal. */
  readonly sessionCookie: string
}

/** By name; they lie in one folder. */
export function routerFiles(cells: readonly Cell[], router: Router): Readonly<Record<string, string>> {
  const holders = Array.from({ length: PARTS }, (_, part) => [part, nameOfHolder(cells, part)] as const)
  return {
    'haproxy.cfg': [
      `# The router before the cells, by \`ishtirak cells haproxy\`: a second run writes it anew.
${global(router)}`,
      DEFAULTS,
      frontend(router, cells),
      OF_CELLS,
      ...cells.map(backend),
      anyCell(cells),
    ].join('\n\n'),
    'parts.map': holders.map(([part, name]) => `${part} ${name}\n`).join(''),
    'marks.map': holders.map(([part, name]) => `${markOf(part)} ${name}\n`).join(''),
    'unescape.lua': UNESCAPE,
  }
}

function nameOfHolder(cells: readonly Cell[], part: number): string {
  return cells.find(({ parts }) => parts.has(part))?.name ?? ''
}

const global = ({ socket }: Router) => `global
  log stdout format raw daemon
  user haproxy
  group haproxy
  chroot /var/lib/haproxy
  # A reload: the new process takes over the listeners, the old one ends with its last request.
  stats socket ${socket} mode 600 level admin expose-fd listeners
  hard-stop-after 15m
  # Of the other files of this folder.
  default-path config
  # An event or a form is read whole: 64 KiB, and its head.
  tune.bufsize 98304
  lua-load unescape.lua`

/** As a problem of the service; a page has words for people. */
const problem = (status: number, title: string, code: string, detail: string) =>
  JSON.stringify({ type: 'about:blank', title, status, code, detail })

const GONE = problem(503, 'Not ready', 'not_ready', 'No server of this user can answer now.')
const LATE = problem(504, 'Took too long', 'took_too_long', 'The server did not answer in time.')

const DEFAULTS = `defaults all
  mode http
  log global
  # Only what failed, and without the query: links into the portal carry their token there.
  option dontlog-normal
  log-format "%ci [%tr] %HM %HPO %ST %B %Ta %b/%s %tsc"
  # A client that sends its next request while a reload goes on is still answered.
  option idle-close-on-response
  timeout http-request 10s
  timeout client 30s
  # Shorter than the 65 seconds of the service, so that it never meets a closed connection.
  timeout http-keep-alive 60s
  timeout connect 2s
  # The service answers within 6 s of the last byte of a request, with 503 where it cannot.
  timeout server 10s
  timeout check 5s
  # Nothing is sent twice but what only reads: another server is asked where none was connected to.
  retries 3
  option redispatch 1
  retry-on conn-failure empty-response
  option httpchk GET /readyz
  default-server inter 1s fall 3 rise 1
  option allbackups
  http-error status 503 content-type application/problem+json hdr Retry-After 5 string '${GONE}'
  http-error status 504 content-type application/problem+json string '${LATE}'`

function frontend({ bind, trusted, sessionCookie }: Router, [first]: readonly Cell[]): string {
  const ofProxy = trusted.length > 0 ? ` { src ${trusted.join(' ')} }` : ''
  return `frontend ishtirak from all
  bind ${bind}
  http-request disable-l7-retry unless METH_GET
  # What a client claims in one of these is not passed on.
  http-request set-header X-Forwarded-For %[src]${ofProxy && ` unless${ofProxy}`}${
    ofProxy && `\n  http-request add-header X-Forwarded-For %[src] if${ofProxy}`
  }
  http-request del-header Forwarded
  http-request del-header ${FORWARDED}

${WHOSE.replaceAll('SESSION', sessionCookie)}

  http-request set-var(txn.part) var(txn.user),crc32,mod(${PARTS}) if { var(txn.user) -m found }
  http-request set-var(txn.cell) var(txn.part),map_int(parts.map) if { var(txn.part) -m found }
  http-request set-var(txn.cell) var(txn.mark),map_str(marks.map) if { var(txn.mark) -m found }
  http-request set-var(txn.cell) str(${first?.name}) if event !{ var(txn.cell) -m found }
  use_backend cell_%[var(txn.cell)] if { var(txn.cell) -m found }
  default_backend any`
}

const OF_CELLS = `defaults cells from all
  # A picture or PDF of a transfer comes slowly, and a backup of a large database is written first.
  http-request set-timeout server 150s if { path_end /proof }
  http-request set-timeout server 10m if { path /api/v1/operator/backup }`

/** A user's id, or the mark of a part: what neither is found for, any cell may answer. */
const WHOSE = `  # A user in the address, for the platform and for operators.
  http-request set-var(txn.user) path,field(6,/),url_dec if { path_beg /api/v1/platform/users/ }
  http-request set-var(txn.user) path,field(6,/),url_dec if { path_beg /api/v1/operator/users/ }
  http-request set-var(txn.user) path,field(4,/),url_dec if { path_beg /console/users/ /console/counter/ }
  # A payment in the address: the last two of its 30 characters are the mark.
  http-request set-var(txn.mark) path,field(6,/),bytes(28,2) if { path_beg /api/v1/operator/payments/ }
  http-request set-var(txn.mark) path,field(4,/),bytes(28,2) if { path_beg /console/payments/ }
  http-request set-var(txn.mark) path,field(4,/),bytes(28,2) if { path_beg /billing/return/ }
  # A token: the account, else the subject.
  acl claims var(txn.claims) -m found
  http-request set-var(txn.claims) http_auth_bearer,field(2,.),ub64dec if { path_beg /api/v1/billing/ }
  http-request set-var(txn.claims) var(txn.claims),lua.unescape if claims { var(txn.claims) -m sub \\\\ }
  http-request set-var(txn.user) var(txn.claims),json_query('$.sub') if claims
  http-request set-var(txn.user) var(txn.claims),json_query('$.account') if claims
  # An event of the provider: the payment in its metadata, which is an object or a list of one.
  acl event path /api/v1/billing/webhook
  http-request wait-for-body time 10s if event
  http-request set-var(txn.id) req.body,json_query('$.data.metadata[0].payment_id') if event
  http-request set-var(txn.id) req.body,json_query('$.data.metadata.payment_id') if event
  http-request set-var(txn.mark) var(txn.id),bytes(28,2) if event
  # A page: the session's cookie, or the link that a session begins with. Both begin with the mark.
  acl link path /portal/open /portal/sign-in
  http-request wait-for-body time 10s if link METH_POST
  http-request set-var(txn.mark) req.cook(SESSION),bytes(0,2) if { path_beg /portal }
  http-request set-var(txn.mark) url_param(token),url_dec,bytes(0,2) if link METH_GET
  http-request set-var(txn.mark) req.body_param(token),url_dec,bytes(0,2) if link METH_POST`

function backend({ name, servers, standbys }: Cell): string {
  const server = (address: string, place: number, rest = '') =>
    `  server ${name}${place + 1} ${address} check${rest}`
  return [
    `backend cell_${name}`,
    ...servers.map((address, place) => server(address, place)),
    ...standbys.map((address, place) => server(address, servers.length + place, ' backup')),
  ].join('\n')
}

/** All servers of all cells, by the checks of their cells. */
function anyCell(cells: readonly Cell[]): string {
  const lines = cells.flatMap(({ name, servers, standbys }) =>
    [...servers, ...standbys].map((address, place) => {
      const isStandby = place >= servers.length
      const own = `${name}${place + 1}`
      return `  server ${own} ${address} track cell_${name}/${own}${isStandby ? ' backup' : ''}`
    }),
  )
  return `backend any\n${lines.join('\n')}\n`
}

const UNESCAPE = `-- json_query of HAProxy 2.6 finds no text with \\/, or with \\u beyond one byte.
local function hex(text, at)
  local digits = text:match("^\\\\u(%x%x%x%x)", at)
  return digits and tonumber(digits, 16)
end

local function character(code)
  local isEscaped = code < 32 or code == 34 or code == 92
  return isEscaped and string.format("\\\\u%04x", code) or utf8.char(code)
end

core.register_converters("unescape", function(text)
  local written, from = {}, 1
  local at = text:find("\\\\", from, true)
  while at do
    written[#written + 1] = text:sub(from, at - 1)
    local code, low = hex(text, at), hex(text, at + 6)
    if code and low and code >= 0xd800 and code < 0xdc00 then
      written[#written + 1] = utf8.char(0x10000 + (code - 0xd800) * 0x400 + low - 0xdc00)
      from = at + 12
    elseif code then
      written[#written + 1], from = character(code), at + 6
    else
      local isSlash = text:sub(at + 1, at + 1) == "/"
      written[#written + 1], from = isSlash and "/" or text:sub(at, at + 1), at + 2
    end
    at = text:find("\\\\", from, true)
  end
  return table.concat(written) .. text:sub(from)
end)
`
