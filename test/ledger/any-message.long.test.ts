import { anyMessages } from './any-message.suite';

anyMessages(10_000);
