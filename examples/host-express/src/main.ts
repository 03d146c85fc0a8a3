import { loadSettings } from '@deal-sets/service';
import { createShop } from './create-shop.js';

const { DATABASE_URL: databaseUrl, SHOP_TOKEN_SECRET: tokenSecret } = process.env;
if (!databaseUrl || !tokenSecret) throw new Error('set DATABASE_URL and SHOP_TOKEN_SECRET');

const settings = loadSettings(process.env);
const shop = await createShop({ settings, databaseUrl, tokenSecret });
await shop.listen(settings.port, settings.host);
