import { ConfigService } from '@nestjs/config';
import { createShop } from './create-shop.js';

const shop = await createShop();
const config = shop.get(ConfigService);
await shop.listen(config.get<string>('PORT', '3000'), config.get<string>('HOST', '127.0.0.1'));
console.log(`The shop listens on ${await shop.getUrl()}`);
