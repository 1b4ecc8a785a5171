// An account as the configuration names it, and the credentials with which it signs. Source: interface document, part
// 1.

export interface Credentials {
  readonly key: string
  /** A value in PEM form is an RSA key. */
  readonly secret: string
  readonly passphrase: string
}

export interface AccountAccess {
  readonly name: string
  readonly uid?: string
  readonly api?: Credentials
  readonly tax?: Credentials
}

/** Everything about an account that must never be shown or journaled. */
export function secretsOfAccount({ api, tax }: AccountAccess): string[] {
  return [api, tax].flatMap((credentials) =>
    credentials === undefined ? [] : [credentials.key, credentials.secret, credentials.passphrase],
  )
}
