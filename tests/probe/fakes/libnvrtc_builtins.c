// What libnvrtc opens beside itself.
__attribute__((visibility("default"))) const int fake_builtins = 13000;
