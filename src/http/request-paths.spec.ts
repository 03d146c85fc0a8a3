import { answeredPaths } from './request-paths.js';

const isAnswered = answeredPaths(['/api/v1/deal-sets', '/acme/files/:name', '/mcp']);

describe('the paths that the service answers inside a host', () => {
  it.each([
    '/api/v1',
    '/api/v1/anything?x=1',
    '/health/live',
    '/mcp',
    '/acme/files/x',
    'http://shop.example/api/v1/deal-sets',
    'HTTPS://shop.example:8443/mcp?x',
    '/%61pi/v1/deal-sets',
    '/api/v1/deal-sets/%FF',
    '/acme/files/%FF',
  ])('holds %s', (target) => {
    expect(isAnswered(target)).toBe(true);
  });

  it.each([
    '/',
    '*',
    '/api/v10',
    '/API/v1/deal-sets',
    '//api/v1/deal-sets',
    '/api%2Fv1/deal-sets',
    '/mcp/',
    '/acme/files/x/y',
    '/%FFapi/v1/deal-sets',
    'http://shop.example',
    'http://shop.example?/api/v1/deal-sets',
    'ftp://shop.example/api/v1/deal-sets',
  ])('leaves %s to the host', (target) => {
    expect(isAnswered(target)).toBe(false);
  });
});
