import { anyMessages } from './any-message.suite';

anyMessages(1_500);
