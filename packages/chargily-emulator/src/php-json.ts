// JSON as PHP and MySQL write it, because the signature covers bytes: a receiver that parses and writes again
// gets other bytes, and must fail here as in production.

export type Json = null | boolean | number | string | Json[] | JsonObject
export type JsonObject = { readonly [key: string]: Json }

/** `json_encode` with its default flags: `\/`, `\uXXXX`, no spaces, and an empty object is an empty array. */
export function encodePhpJson(value: Json): string {
  if (typeof value === 'string') return quote(value)
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(encodePhpJson).join(',')}]`
  const members = Object.entries(value)
  // PHP has one array type, and writes one without keys as a list.
  if (members.length === 0) return '[]'
  return `{${members.map(([key, member]) => `${quote(key)}:${encodePhpJson(member)}`).join(',')}}`
}

/** The order of the keys in a MySQL JSON column, at every depth: by byte length, then by bytes. */
export function inMysqlOrder(value: Json): Json {
  if (Array.isArray(value)) return value.map(inMysqlOrder)
  return isJsonObject(value) ? objectInMysqlOrder(value) : value
}

export function objectInMysqlOrder(value: JsonObject): JsonObject {
  const members = Object.entries(value).map(([key, member]) => [key, inMysqlOrder(member)] as const)
  return Object.fromEntries(members.sort(([left], [right]) => compareKeys(left, right)))
}

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function compareKeys(left: string, right: string): number {
  const [a, b] = [Buffer.from(left), Buffer.from(right)]
  return a.length - b.length || Buffer.compare(a, b)
}

function quote(text: string): string {
  return JSON.stringify(text)
    .replaceAll('/', '\\/')
    .replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** A record as JSON. */
export function toJson(value: unknown): Json {
  return JSON.parse(JSON.stringify(value))
}
