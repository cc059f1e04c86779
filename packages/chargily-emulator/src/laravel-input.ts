// Request bodies as a Laravel application sees them: JSON or a form, strings trimmed, empty ones null. What cannot
// be read is an empty request, and then every required field is missing; nothing here ever throws.
import { isJsonObject, type Json, type JsonObject } from './php-json.js'

/** PHP's `json_decode` gives up beyond this depth. */
const MAX_DEPTH = 512

export function readInput(contentType: string | undefined, body: unknown): JsonObject {
  if (!Buffer.isBuffer(body) || body.length === 0) return {}
  const text = decodeUtf8(body)
  if (text === null) return {}
  const isForm = contentType?.toLowerCase().startsWith('application/x-www-form-urlencoded')
  const input = isForm ? Object.fromEntries(new URLSearchParams(text)) : parseJson(text)
  const cleaned = isDeeper(input, MAX_DEPTH) ? {} : clean(input)
  return isJsonObject(cleaned) ? cleaned : {}
}

/** Null for bytes that are not UTF-8: `json_decode` refuses them whole. */
function decodeUtf8(body: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    return null
  }
}

function parseJson(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

function isDeeper(value: Json, levels: number): boolean {
  if (value === null || typeof value !== 'object') return false
  return levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1))
}

/** Laravel's middleware TrimStrings and ConvertEmptyStringsToNull, which reach into metadata too. */
function clean(value: Json): Json {
  if (typeof value === 'string') return value.trim() || null
  if (Array.isArray(value)) return value.map(clean)
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, clean(member)]))
}
