import type { Implementation } from '@modelcontextprotocol/server';
import { PACKAGE_VERSION } from '../config/package-version.js';
import { API_REVISION } from '../http/context/contract-headers.js';

/** The icon, a price tag, sent inline because hosts do not download icons of private servers. */
const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">
<path d="M3 3h9l9 9-9 9-9-9z" fill="#1f6f54"/><circle cx="8" cy="8" r="2" fill="#fff"/>
</svg>`;

/**
 * Returns the description of the server that clients show to a person.
 *
 * @param websiteUrl the public address of the service.
 */
export function serverInfo(websiteUrl: string | undefined): Implementation {
  return {
    name: 'deal-sets',
    title: 'Deal Sets',
    version: PACKAGE_VERSION,
    description: `A car buyer’s price requests, by revision ${API_REVISION} of the interface.`,
    ...(websiteUrl !== undefined && { websiteUrl }),
    icons: [
      {
        src: `data:image/svg+xml;base64,${Buffer.from(ICON).toString('base64')}`,
        mimeType: 'image/svg+xml',
        sizes: ['any'],
      },
    ],
  };
}
