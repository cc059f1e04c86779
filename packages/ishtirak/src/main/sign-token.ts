// Signs a token as the platform does, for people who try the service.
import { SignJWT } from 'jose/jwt/sign'
import { systemClock } from '../runtime/clock.js'
import type { Config } from './config.js'
import { hasSandbox, noSandbox, readSandboxState } from './sandbox.js'

export const TOKEN_DAYS = 30
/** Ten years: the sandbox's clock is moved, and its tokens open nothing real. */
export const SANDBOX_TOKEN_DAYS = 3650

/**
 * Throws if tokens are signed with the keys behind AUTH_JWKS_URL, or if there is no sandbox with a secret.
 */
export async function signToken(
  config: Config,
  user: string,
  claims: Record<string, string>,
  days = config.chargily ? TOKEN_DAYS : SANDBOX_TOKEN_DAYS,
): Promise<string> {
  const [configured] = config.auth.secrets
  const secret = configured ?? (config.chargily ? null : await secretOfSandbox(config))
  if (!secret) throw new Error('tokens are signed with the keys behind AUTH_JWKS_URL, not here')
  const now = Math.floor(systemClock().now() / 1000)
  const token = new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).setSubject(user).setIssuedAt(now)
  if (config.auth.issuer) token.setIssuer(config.auth.issuer)
  if (config.auth.audience) token.setAudience(config.auth.audience)
  return token.setExpirationTime(now + days * 86_400).sign(new TextEncoder().encode(secret))
}

async function secretOfSandbox(config: Config): Promise<string> {
  if (!hasSandbox(config)) throw noSandbox('set AUTH_JWT_SECRET')
  return (await readSandboxState(config)).jwtSecret
}
